import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { CDPSession, Page } from "playwright-core";
import type { Goal } from "../quant/goals.ts";
import { countMessages } from "./countMessages.ts";
import { describeMachine, openBenchSite } from "./openBenchSite.ts";
import { startTrades } from "./tradeSource.ts";

/** The memory of a page after a garbage collection. */
type Holding = { heapBytes: number; nodes: number; listeners: number };

type Watched = {
  name: string;
  page: Page;
  session: CDPSession;
  first: Holding;
  /** The content that every trade changes: a page that lost the stream would retain nothing, too. */
  moving: string;
  shown: string | null;
};

const perSecond = 20;
const warmUpMs = 60_000;
/** The mean of an hour must be the requested rate, even if the machine is busy for some minutes. */
const maxOwedSeconds = 600;
const maxGrowthBytes = 10_000_000;
const toMegabytes = (bytes: number) => (bytes / 1e6).toFixed(2);

/**
 * Leaves the page of a token, with its chart, and the list of tokens open under 20 trades a second, and reads their
 * retained memory every minute.
 *
 * @param snapshots - A folder for heap snapshots at the start and at the end.
 */
export async function measureHeap({
  minutes,
  snapshots,
}: {
  minutes: number;
  snapshots?: string | undefined;
}): Promise<Goal[]> {
  const site = await openBenchSite();
  const token = site.stack.tokens[0]!;
  const counter = countMessages(site.stack.baseUrl, { token });
  const trades = await startTrades(site.stack, token, maxOwedSeconds);
  const watched: Watched[] = [];
  for (const [name, path, moving] of [
    ["token", `/t/${token}?interval=1m`, ".overflow-y-auto tbody tr"],
    ["list", "/", `tr:has(a[href*="${token}" i])`],
  ] as const) {
    // A separate context has a separate process.
    const { page } = await site.openPage({ path });
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable");
    await session.send("HeapProfiler.enable");
    watched.push({ name, page, session, first: { heapBytes: 0, nodes: 0, listeners: 0 }, moving, shown: "" });
  }
  await watched[0]!.page.locator("canvas").first().waitFor();

  trades.setRate(perSecond);
  await sleep(warmUpMs);
  for (const each of watched) each.first = await readHolding(each.session);
  if (snapshots) await takeSnapshots(watched, snapshots, "start");
  process.stdout.write(
    `Pages left open under ${perSecond} trades a second for ${minutes} minutes, after one of warm-up; ${describeMachine()}\n\n` +
      `| minute | ${watched.map(({ name }) => `${name}: heap MB | growth MB | nodes | listeners`).join(" | ")} | trades/s | messages/s to the token's page |\n` +
      `|---|${"---|".repeat(watched.length * 4 + 2)}\n`,
  );
  let before = { at: performance.now(), sent: trades.sent(), messages: counter.count() };
  const first = before;
  const printRow = (minute: number, holdings: readonly Holding[], rates: string) => {
    const cells = holdings.map(({ heapBytes, nodes, listeners }, index) => {
      const growth = heapBytes - watched[index]!.first.heapBytes;
      return `${toMegabytes(heapBytes)} | ${toMegabytes(growth)} | ${nodes} | ${listeners}`;
    });
    process.stdout.write(`| ${minute} | ${cells.join(" | ")} | ${rates} |\n`);
  };
  printRow(
    0,
    watched.map(({ first }) => first),
    " | ",
  );
  let lasts = watched.map(({ first }) => first);
  let minutesUnchanged = 0;
  for (let minute = 1; minute <= minutes; minute++) {
    await sleep(Math.max(0, first.at + minute * 60_000 - performance.now()));
    lasts = [];
    for (const each of watched) {
      lasts.push(await readHolding(each.session));
      const shown = await each.page.locator(each.moving).first().textContent();
      if (shown === each.shown) minutesUnchanged++;
      each.shown = shown;
    }
    const now = { at: performance.now(), sent: trades.sent(), messages: counter.count() };
    const rate = (key: "sent" | "messages") => ((now[key] - before[key]) * 1_000) / (now.at - before.at);
    printRow(minute, lasts, `${rate("sent").toFixed(1)} | ${rate("messages").toFixed(1)}`);
    before = now;
  }
  const mean = ((before.messages - first.messages) * 1_000) / (before.at - first.at);
  if (snapshots) await takeSnapshots(watched, snapshots, "end");
  counter.stop();
  await trades.stop();
  await site.close();
  return [
    ...watched.map(({ name, first }, index) => ({
      name: `heap growth of the ${name} page, MB in ${minutes} minutes`,
      value: (lasts[index]!.heapBytes - first.heapBytes) / 1e6,
      high: maxGrowthBytes / 1e6,
    })),
    { name: "minutes in which a page did not change", value: minutesUnchanged, high: 0 },
    // With fewer messages the growth would not be that of the requested rate.
    { name: "messages a second to the token's page, mean", value: Math.round(mean * 10) / 10, low: perSecond },
  ];
}

async function readHolding(session: CDPSession): Promise<Holding> {
  // The second collection frees the objects that the first one finalizes.
  await session.send("HeapProfiler.collectGarbage");
  await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  const read = (name: string) => metrics.find((metric) => metric.name === name)!.value;
  return { heapBytes: read("JSHeapUsedSize"), nodes: read("Nodes"), listeners: read("JSEventListeners") };
}

async function takeSnapshots(watched: readonly Watched[], folder: string, when: string): Promise<void> {
  for (const { name, session } of watched) {
    const parts: string[] = [];
    const add = ({ chunk }: { chunk: string }) => parts.push(chunk);
    session.on("HeapProfiler.addHeapSnapshotChunk", add);
    await session.send("HeapProfiler.takeHeapSnapshot");
    session.off("HeapProfiler.addHeapSnapshotChunk", add);
    writeFileSync(`${folder}/${name}-${when}.heapsnapshot`, parts.join(""));
  }
}
