import { reorganise } from "@slipway/dev/chain/reorganise";
import { rpcRequest, waitForReceipt } from "@slipway/dev/chain/rpcRequest";
import { getWallet } from "@slipway/dev/chain/wallets";
import { processIdentity } from "@slipway/dev/process/processIdentity";
import { createClient } from "@slipway/sdk/createClient";
import { type Hex, keccak256 } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type DelayedMining, delayMining } from "../support/browser/delayMining.ts";
import {
  confirmTrade,
  enterAmount,
  findTradeBox,
  launch,
  openReview,
  untilLaunched,
} from "../support/browser/journeys.ts";
import { type OpenSite, openSite, type SitePage } from "../support/browser/openSite.ts";
import {
  createBatchBehaviours,
  sendReplaced,
  sendSigned,
  type TestWallet,
  walletError,
} from "../support/browser/testWallet.ts";

let site: OpenSite;
let mining: DelayedMining;

beforeAll(async () => {
  site = await openSite();
  mining = await delayMining(site.stack.rpcUrl);
});
afterEach(() => mining.mine());
afterAll(() => site?.close());

const rpc = <T>(method: string, params: unknown[] = []) => rpcRequest<T>(site.stack.rpcUrl, method, params);
const signer = ({ account }: TestWallet) => ({ rpcUrl: site.stack.rpcUrl, account });

/** Returns the number of the account's mined transactions: a duplicate would count twice. */
const countMined = async ({ account }: TestWallet) =>
  Number(await rpc<string>("eth_getTransactionCount", [account.address, "latest"]));

/** Removes the block of a mined transaction and all later blocks. The transactions do not come back. */
async function removeBlockWith(hash: Hex): Promise<void> {
  const { blockNumber } = await waitForReceipt(site.stack.rpcUrl, hash);
  const head = Number(await rpc<string>("eth_blockNumber"));
  await reorganise(site.stack.rpcUrl, head - Number(blockNumber) + 1);
}

/** Kills the server, which restarts automatically. */
async function killServer(): Promise<void> {
  const pid = site.stack.serverPid();
  process.kill(pid, "SIGKILL");
  await vi.waitUntil(() => processIdentity(pid) === null, { timeout: 60_000, interval: 5 });
}

const untilServed = () =>
  vi.waitUntil(
    () =>
      fetch(`${site.url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    { timeout: 60_000, interval: 50 },
  );

const text = (tab: SitePage, shown: string | RegExp) => tab.page.getByText(shown).first().waitFor();
/** Presses the topmost button: a dialog is the last part of its page. */
const press = ({ page }: SitePage, name: string) => page.getByRole("button", { name, exact: true }).last().click();

/** A wallet whose answers a test chooses by the number of the request (from 1); by default it sends. */
function answer(
  wallet: TestWallet,
  answers: Readonly<Record<number, (transaction: any, send: () => Promise<Hex>) => unknown>>,
) {
  let count = 0;
  wallet.behave("eth_sendTransaction", async ([transaction], next) => {
    count += 1;
    const answered: unknown = answers[count]?.(transaction, next as () => Promise<Hex>) ?? next();
    return answered;
  });
}

const decline = () => {
  throw walletError(4001);
};

/** Sends a transaction that stays in the node's pool until `mining.mine()`. */
const sendUnmined = (wallet: TestWallet) => (transaction: any) => mining.send(wallet, transaction);

/** Returns the hashes of an account's transactions in the node's pool. */
async function getPending({ account }: TestWallet): Promise<string[]> {
  const { pending } = await rpc<{ pending: Record<string, Record<string, { hash: string }>> }>("txpool_content");
  const own = Object.entries(pending).find(([from]) => from.toLowerCase() === account.address.toLowerCase());
  return Object.values(own?.[1] ?? {}).map(({ hash }) => hash);
}

type SafeWallet = { execute(): Promise<void> };

/**
 * A wallet of several owners: it returns a hash of its own, and its account's nonce does not change, because another
 * account sends the calls that the owners have signed. `execute` sends them.
 */
function answerAsSafe(wallet: TestWallet): SafeWallet {
  let waiting: any;
  wallet.behave("eth_getTransactionCount", () => "0x0");
  wallet.behave("eth_sendTransaction", ([transaction]) => {
    waiting = transaction;
    return keccak256(transaction.data);
  });
  return {
    execute: async () => void (await waitForReceipt(site.stack.rpcUrl, await sendSigned(signer(wallet), waiting))),
  };
}

/** An interruption of a flow with two steps, the first and the last. */
type Case = {
  name: string;
  /** Chooses the wallet's answers before the flow begins. */
  prepare?(tab: SitePage, wallet: TestWallet): unknown;
  /** The texts of the page meanwhile, and the actions of the user; `prepared` is the result of `prepare`. */
  act?(tab: SitePage, wallet: TestWallet, prepared: unknown): Promise<void>;
  /** The number of send requests to the wallet, and the number of transactions on the chain at the end. */
  asked: number;
  mined: number;
  clock?: boolean;
};

const replaced: Case = {
  name: "sped up, at both steps",
  prepare: (_, wallet) => {
    const speedUp = async (transaction: any) => (await sendReplaced(signer(wallet), transaction, "sped up")).answered;
    answer(wallet, { 1: speedUp, 2: speedUp });
  },
  ...{ asked: 2, mined: 2 },
};

const cases: readonly Case[] = [
  {
    name: "declined, at both steps",
    prepare: (_, wallet) => answer(wallet, { 1: decline, 3: decline }),
    act: async (tab, wallet) => {
      await text(tab, "Request declined. Nothing was sent.");
      expect(await countMined(wallet)).toBe(0);
      await press(tab, "Try again");
      await expect.poll(() => wallet.of("eth_sendTransaction").length).toBe(3);
      await text(tab, "Request declined. Nothing was sent.");
      await press(tab, "Try again");
    },
    ...{ asked: 4, mined: 2 },
  },
  replaced,
  {
    name: "cancelled in the wallet, at the first step",
    prepare: (_, wallet) =>
      answer(wallet, {
        1: async (transaction) => (await sendReplaced(signer(wallet), transaction, "cancelled")).answered,
      }),
    act: async (tab) => {
      await text(tab, "Replaced or cancelled in your wallet");
      await press(tab, "Try again");
    },
    ...{ asked: 3, mined: 3 },
  },
  {
    name: "reloaded while the first step is pending",
    prepare: (_, wallet) => answer(wallet, { 1: sendUnmined(wallet) }),
    act: async (tab, wallet) => {
      await text(tab, "Sent, waiting for confirmation");
      await tab.page.reload();
      await expect
        .poll(() =>
          tab.page
            .getByRole("list", { name: "Steps" })
            .or(tab.page.getByRole("button", { name: "Show steps" }))
            .count(),
        )
        .toBe(1);
      expect(wallet.of("eth_sendTransaction")).toHaveLength(1);
      // Before the page continues, because the button is gone then.
      const show = tab.page.getByRole("button", { name: "Show steps" });
      if (await show.isVisible()) await show.click();
      await mining.mine();
    },
    ...{ asked: 2, mined: 2 },
  },
  {
    name: "left by a server that is killed after the first step",
    prepare: (_, wallet) =>
      answer(wallet, {
        1: async (_transaction, send) => {
          await killServer();
          return await send();
        },
      }),
    act: async (tab) => {
      await text(tab, "Stopped");
      await untilServed();
      await press(tab, "Try again");
    },
    ...{ asked: 2, mined: 2 },
  },
  {
    name: "offline after the first step",
    prepare: (tab, wallet) =>
      answer(wallet, {
        1: async (_transaction, send) => {
          await tab.context.setOffline(true);
          return await send();
        },
      }),
    act: async (tab) => {
      await text(tab, "Stopped");
      await tab.context.setOffline(false);
      await press(tab, "Try again");
    },
    ...{ asked: 2, mined: 2 },
  },
  {
    name: "set back by a reorganisation that removes the first step",
    prepare: async (_, wallet) => {
      await rpc("anvil_mine", ["0x4"]);
      let first: Hex;
      answer(wallet, {
        1: async (_transaction, send) => {
          first = await send();
          return first;
        },
        2: async () => {
          await removeBlockWith(first);
          decline();
        },
      });
    },
    act: async (tab, wallet) => {
      await text(tab, "Request declined. Nothing was sent.");
      expect(await countMined(wallet)).toBe(0);
      await press(tab, "Try again");
      // A missing splitter is rejected first; an approval is simply requested again.
      const again = tab.page.getByRole("button", { name: "Try again", exact: true }).last();
      const isAskedAgain = async () => {
        if (await again.isVisible()) await again.click();
        return wallet.of("eth_sendTransaction").length > 2;
      };
      await vi.waitUntil(isAskedAgain, { timeout: 60_000, interval: 200 });
    },
    ...{ asked: 4, mined: 2 },
  },
  {
    name: "dropped by every node before the last step is mined",
    clock: true,
    prepare: (_, wallet) => answer(wallet, { 2: sendUnmined(wallet) }),
    act: async (tab, wallet) => {
      await expect.poll(() => getPending(wallet)).toHaveLength(1);
      await text(tab, "Sent, waiting for confirmation");
      // The page has read the transaction from a node, so a missing one was dropped and is not just slow.
      await expect.poll(() => wallet.of("eth_getTransactionByHash").length).toBeGreaterThan(1);
      const reads = wallet.of("eth_getTransactionByHash").length;
      await expect.poll(() => wallet.of("eth_getTransactionByHash").length).toBeGreaterThan(reads + 1);
      await rpc("anvil_dropTransaction", await getPending(wallet));
      await mining.mine();
      await tab.page.clock.fastForward(25_000);
      await text(tab, /^The network no longer has this transaction/);
      expect(wallet.of("eth_sendTransaction")).toHaveLength(2);
      await press(tab, "Stop tracking");
      await text(tab, /^No longer tracked\. Check your wallet/);
      await press(tab, "Try again");
    },
    ...{ asked: 3, mined: 2 },
  },
  {
    name: "sent by a wallet of several owners, whose hash is of no transaction",
    clock: true,
    act: async (tab, wallet, safe) => {
      for (const step of [1, 2]) {
        await expect.poll(() => wallet.of("eth_sendTransaction").length).toBe(step);
        await text(tab, "Sent, waiting for confirmation");
        await tab.page.clock.fastForward(21_000);
        await text(tab, /A multisig wallet sends it after its owners have signed/);
        await (safe as SafeWallet).execute();
        await tab.page.clock.fastForward(5_000);
      }
    },
    prepare: (_, wallet) => answerAsSafe(wallet),
    ...{ asked: 2, mined: 2 },
  },
];

/** The console messages while the server or the network is unavailable. */
const isNetworkError = (problem: string) => /net::ERR_/.test(problem);

describe("a launch that is", () => {
  it.each(cases.map((one, index) => ({ ...one, symbol: `EDGE${index}` })))("$name", async (one) => {
    const wallet = await site.takeWallet();
    const tab = await openReview(site, wallet, one.symbol, { clock: one.clock ?? false });
    const prepared = await one.prepare?.(tab, wallet);
    await launch(tab, one.symbol);
    await one.act?.(tab, wallet, prepared);
    await untilLaunched(tab);
    expect([wallet.of("eth_sendTransaction").length, await countMined(wallet)]).toEqual([one.asked, one.mined]);
    const { items } = await createClient(site.stack).listTokens({ q: one.symbol });
    expect(items.map(({ creator }) => creator)).toEqual([wallet.account.address]);
    expect(tab.problems([400, 404, 409, 422]).filter((problem) => !isNetworkError(problem))).toEqual([]);
    await tab.close();
  });

  it("removed by a reorganisation before the index is read says so, and is launched again as the same token", async () => {
    const wallet = await site.takeWallet();
    await rpc("anvil_mine", ["0x4"]);
    const tab = await openReview(site, wallet, "LOST");
    let launched: Hex;
    answer(wallet, {
      2: async (_, send) => {
        await tab.context.setOffline(true);
        launched = await send();
        return launched;
      },
    });
    await launch(tab, "LOST");
    await text(tab, "LOST launched");
    await removeBlockWith(launched!);
    await tab.context.setOffline(false);
    await text(tab, /^A chain reorg reverted your launch/);
    expect(await tab.findBarriers()).toEqual([]);
    await press(tab, "Try again");
    await launch(tab, "LOST");
    await untilLaunched(tab);
    expect([wallet.of("eth_sendTransaction").length, await countMined(wallet)]).toEqual([3, 2]);
    await tab.close();
  });

  it("pending here and begun again on a second device is waited for there: one token, and nothing is sent twice", async () => {
    const wallet = await site.takeWallet();
    const tab = await openReview(site, wallet, "TWICE");
    answer(wallet, { 2: sendUnmined(wallet) });
    await launch(tab, "TWICE");
    await expect.poll(() => getPending(wallet)).toHaveLength(1);
    const other = await site.openPage({ signedIn: wallet, path: new URL(tab.page.url()).pathname });
    await launch(other, "TWICE");
    await text(other, "Waiting for this wallet's earlier transaction");
    await text(tab, "Sent, waiting for confirmation");
    expect(await getPending(wallet)).toHaveLength(1);
    await mining.mine();
    await Promise.all([untilLaunched(tab), untilLaunched(other)]);
    const { items } = await createClient(site.stack).listTokens({ q: "TWICE" });
    const paths = [tab, other].map(({ page }) => new URL(page.url()).pathname.toLowerCase());
    expect(paths).toEqual([0, 1].map(() => `/t/${items[0]!.address.toLowerCase()}`));
    expect([items.length, wallet.of("eth_sendTransaction").length, await countMined(wallet)]).toEqual([1, 2, 2]);
    expect([...tab.problems(), ...other.problems()]).toEqual([]);
    await tab.close();
    await other.close();
  });
});

const finishTrade = (tab: SitePage) => tab.page.getByRole("dialog").getByRole("button", { name: "Trade again" });

/** A page that pays with WETH: an approval, then the swap. */
async function openWethTrade(wallet: TestWallet, clock: boolean): Promise<SitePage> {
  const { address } = wallet.account;
  await rpc("anvil_impersonateAccount", [address]);
  const wrapped = await rpc<Hex>("eth_sendTransaction", [
    { from: address, to: site.stack.devFile.weth, data: "0xd0e30db0", value: "0x16345785d8a0000" },
  ]);
  // The nonce is reset after that transaction, not before it is mined.
  await waitForReceipt(site.stack.rpcUrl, wrapped);
  await rpc("anvil_stopImpersonatingAccount", [address]);
  await rpc("anvil_setNonce", [address, "0x0"]);
  const tab = await site.openPage({ signedIn: wallet });
  if (clock) await tab.page.clock.install();
  await tab.goto(`/t/${site.stack.tokens[0]}`);
  await enterAmount(tab.page, "0.02");
  await findTradeBox(tab.page).getByText("With WETH").click();
  return tab;
}

describe("a trade that is", () => {
  it.each(cases)("$name", async (one) => {
    const wallet = await site.takeWallet();
    const tab = await openWethTrade(wallet, one.clock ?? false);
    const prepared = await one.prepare?.(tab, wallet);
    await confirmTrade(tab.page, /^Buy for 0.02 WETH/);
    await one.act?.(tab, wallet, prepared);
    await finishTrade(tab).waitFor();
    expect([wallet.of("eth_sendTransaction").length, await countMined(wallet)]).toEqual([one.asked, one.mined]);
    expect(tab.problems([400, 404, 409, 422]).filter((problem) => !isNetworkError(problem))).toEqual([]);
    await tab.close();
  });

  it("removed by a reorganisation after it was done is not shown as done any longer", async () => {
    await rpc("anvil_mine", ["0x4"]);
    const wallet = await site.takeWallet();
    const tab = await site.openPage({ signedIn: wallet, path: `/t/${site.stack.tokens[0]}` });
    await enterAmount(tab.page, "0.01");
    let sent: Hex;
    answer(wallet, {
      1: async (_, send) => {
        sent = await send();
        return sent;
      },
    });
    await confirmTrade(tab.page, /^Buy for/);
    await finishTrade(tab).waitFor();
    // The element is behind the dialog, where roles cannot be found.
    const tape = tab.page.locator("section[aria-label=Activity]");
    await tape.getByTitle(wallet.account.address).first().waitFor();
    await removeBlockWith(sent!);
    await findTradeBox(tab.page)
      .getByText(/^A chain reorg reverted your trade/)
      .waitFor();
    expect(await finishTrade(tab).count()).toBe(0);
    expect(await tab.findBarriers()).toEqual([]);
    expect(await countMined(wallet)).toBe(0);
    await tab.close();
  });

  it("a batch that is pending while the page is reloaded is followed, and not sent again", async () => {
    const wallet = await site.takeWallet();
    const tab = await openWethTrade(wallet, false);
    const behaviours = createBatchBehaviours(signer(wallet));
    for (const [method, behaviour] of Object.entries(behaviours)) wallet.behave(method, behaviour);
    wallet.behave("wallet_getCallsStatus", () => ({ status: 100 }));
    await confirmTrade(tab.page, /^Buy for 0.02 WETH/);
    await text(tab, "Sent as one batch, waiting for confirmation");
    await tab.page.reload();
    await press(tab, "Show steps");
    await text(tab, "Sent as one batch, waiting for confirmation");
    wallet.behave("wallet_getCallsStatus", behaviours.wallet_getCallsStatus!);
    await finishTrade(tab).waitFor();
    expect([wallet.of("wallet_sendCalls").length, wallet.of("eth_sendTransaction").length]).toEqual([1, 0]);
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });
});

describe("a payout", () => {
  it("is moved from the page of fees after a declined try, and back", async () => {
    const wallet = site.createWallet(getWallet("creators"));
    const tab = await site.openPage({ signedIn: wallet, path: "/fees" });
    const { page } = tab;
    await page.getByText("Change payout address").first().click();
    const elsewhere = site.stack.wallets[7]!.address;
    await page.getByLabel("New payout address").first().fill(elsewhere);
    answer(wallet, { 1: decline });
    await press(tab, "Confirm payout address");
    await text(tab, "Request declined. Nothing was sent.");
    await press(tab, "Try again");
    await text(tab, "Payout address changed");
    await page.reload();
    await page.getByTitle(elsewhere).first().waitFor();
    await page.getByText("Change payout address").first().click();
    expect(await tab.findBarriers()).toEqual([]);
    // The service fails to answer after the change: the result stays, and the error stands beside it.
    const path = "**/fees/positions?*";
    const error = { code: "internal_error", message: "It broke.", request_id: "request-9", retryable: false };
    await page.route(path, (route) => route.fulfill({ status: 500, json: { error } }));
    await press(tab, "Reset to this wallet");
    await text(tab, "request-9");
    await text(tab, "Payout address changed");
    await page.unroute(path);
    await page.reload();
    await text(tab, "this wallet");
    expect(wallet.of("eth_sendTransaction")).toHaveLength(3);
    expect(tab.problems([500])).toEqual([]);
    await tab.close();
  });

  it("that is pending while the page is reloaded is shown, followed, and not sent again", async () => {
    const wallet = site.createWallet(getWallet("creators"));
    const tab = await site.openPage({ signedIn: wallet, path: "/fees" });
    const { page } = tab;
    await page.getByText("Change payout address").first().click();
    const elsewhere = site.stack.wallets[8]!.address;
    await page.getByLabel("New payout address").first().fill(elsewhere);
    answer(wallet, { 1: sendUnmined(wallet) });
    await press(tab, "Confirm payout address");
    await text(tab, "Sent, waiting for confirmation");
    await page.reload();
    await text(tab, "Sent, waiting for confirmation");
    // The button of the pending change is gone; those of other tokens are in closed parts.
    expect(await page.getByRole("button", { name: "Confirm payout address" }).count()).toBe(0);
    expect(await tab.findBarriers()).toEqual([]);
    await mining.mine();
    await text(tab, "Payout address changed");
    await page.getByTitle(elsewhere).first().waitFor();
    expect(wallet.of("eth_sendTransaction")).toHaveLength(1);
    await page.reload();
    await page.getByTitle(elsewhere).first().waitFor();
    expect(await page.getByRole("list", { name: "Steps" }).count()).toBe(0);
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });
});
