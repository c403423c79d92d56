import type { Page } from "playwright-core";
import { confirmTrade, connectAndSignIn, findTradeBox } from "../../tests/support/browser/journeys.ts";
import { percentile } from "../percentile.ts";
import type { Goal } from "../quant/goals.ts";
import { describeMachine, openBenchSite } from "./openBenchSite.ts";

const goalMs = 300;
const warmUps = 2;
/** The deadline for the price after a trade; a trade that never appears is a failure, not a slow trade. */
const deadlineMs = 30_000;

type Change = { at: number; text: string };
type Head = { at: number; number: string };

/**
 * One browser trades with a wallet, through the pages; another browser watches. Measures the time from the block of
 * each trade, when a subscriber of the node receives its header, to the changed price in the watcher's document.
 */
export async function measureTwoBrowsers({ trades }: { trades: number }): Promise<Goal[]> {
  const site = await openBenchSite();
  const token = site.stack.tokens[1]!;
  const heads = await followBlocks(site.stack.rpcUrl);
  const watcher = await site.openPage({ path: `/t/${token}` });
  await watchPrice(watcher.page);
  const wallet = site.createWallet(site.stack.wallets[0]!);
  const trader = await site.openPage({ wallets: [wallet], path: `/t/${token}` });
  await connectAndSignIn(trader.page, "0.01");

  const delays: number[] = [];
  for (let n = 0; n < warmUps + trades; n++) {
    const blocks = heads.blocks.length;
    const changes = (await readChanges(watcher.page)).length;
    await tradeOnce(trader.page, n);
    const [mined, changed] = await waitForBoth(heads.blocks, blocks, watcher.page, changes);
    if (n >= warmUps) delays.push(changed.at - mined.at);
  }
  const problems = [...trader.problems(), ...watcher.problems()];
  for (const problem of problems) process.stdout.write(`  ${problem}\n`);
  heads.close();
  await site.close();

  const sorted = [...delays].sort((a, b) => a - b).map((delay) => delay.toFixed(0));
  process.stdout.write(
    `From the block to the watcher's price, ${delays.length} trades of another browser; ${describeMachine()}\n` +
      `  ms, sorted: ${sorted.join(" ")}\n`,
  );
  return [
    { name: "block to the watcher's price, p50, ms", value: Math.round(percentile(delays, 0.5)), high: goalMs },
    { name: "block to the watcher's price, p95, ms", value: Math.round(percentile(delays, 0.95)), high: goalMs },
    { name: "block to the watcher's price, longest, ms", value: Math.round(Math.max(...delays)) },
    { name: "errors in the two consoles", value: problems.length, high: 0 },
  ];
}

/** Buys with the trade box, like a person. */
async function tradeOnce(page: Page, n: number): Promise<void> {
  const amount = n % 2 === 0 ? "0.01" : "0.011";
  const box = findTradeBox(page);
  await box.getByLabel("You pay").fill(amount);
  await box.getByRole("button", { name: /^Review/, disabled: false }).waitFor();
  await confirmTrade(page, new RegExp(`^Buy for ${amount} ETH`));
  await page.getByRole("dialog").getByRole("button", { name: "Trade again" }).click();
}

/** Records every change of the price in the document. */
async function watchPrice(page: Page): Promise<void> {
  await page.getByTestId("price").waitFor();
  await page.evaluate(() => {
    const changes: { at: number; text: string }[] = [];
    Object.assign(window, { __changes: changes });
    const read = () => document.querySelector("[data-testid=price] > span")?.textContent ?? "";
    let shown = read();
    new MutationObserver(() => {
      const text = read();
      if (text === shown) return;
      shown = text;
      changes.push({ at: performance.timeOrigin + performance.now(), text });
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
}

const readChanges = (page: Page) => page.evaluate(() => (window as unknown as { __changes: Change[] }).__changes);

async function waitForBoth(
  blocks: readonly Head[],
  knownBlocks: number,
  page: Page,
  knownChanges: number,
): Promise<[Head, Change]> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const mined = blocks[knownBlocks];
    const changed = (await readChanges(page))[knownChanges];
    if (mined !== undefined && changed !== undefined) return [mined, changed];
    if (performance.now() > deadline) throw new Error(mined ? "the watcher's price did not change" : "no block came");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Returns the headers of blocks with transactions, when the node sends them to a subscriber. */
async function followBlocks(rpcUrl: string): Promise<{ blocks: Head[]; close(): void }> {
  const socket = new WebSocket(rpcUrl.replace("http", "ws"));
  const blocks: Head[] = [];
  await new Promise<void>((resolve, reject) => {
    socket.onerror = () => reject(new Error("the chain does not accept a subscription"));
    socket.onopen = () => {
      socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] }));
      resolve();
    };
  });
  socket.onmessage = ({ data }) => {
    const head = JSON.parse(String(data)).params?.result as { number: string; gasUsed: string } | undefined;
    // A chain without transactions mines empty blocks.
    if (head === undefined || BigInt(head.gasUsed) === 0n) return;
    blocks.push({ at: performance.timeOrigin + performance.now(), number: head.number });
  };
  return { blocks, close: () => socket.close() };
}
