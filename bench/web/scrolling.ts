import type { Database } from "@slipway/server/db/database";
import { Pool } from "pg";
import type { CDPSession, Page } from "playwright-core";
import type { OpenSite } from "../../tests/support/browser/openSite.ts";
import { copyToken } from "../../tests/support/server/copyToken.ts";
import { insertToken, toAddress } from "../../tests/support/server/rows.ts";
import { percentile } from "../percentile.ts";
import type { Goal } from "../quant/goals.ts";
import { describeMachine, openBenchSite } from "./openBenchSite.ts";

const rowCount = 10_000;
const firstId = 900_001;
/** Pixels of each frame: about 80 rows a second at 60 frames, faster than a person reads and slower than a jump. */
const pixelsPerFrame = 75;
const frameMs = 1_000 / 60;
/** Frames are at multiples of 16.7 ms. */
const toleranceMs = 1;
const loadTimeoutMs = 900_000;

/** The times between the frames of a part of the scrolling, in ms. */
type Frames = { name: string; intervals: number[]; rows: number };

/**
 * Scrolls Explore to its end, which loads 10,000 tokens by cursor, and then through the loaded rows from both ends, and
 * measures the times between frames.
 *
 * @param seconds - The duration of the scrolling from each end.
 */
export async function measureScrolling({ seconds }: { seconds: number }): Promise<Goal[]> {
  const site = await openBenchSite({ demo: false, environment: { READ_CACHE_BYTES: "0" } });
  await insertTokens(site);
  const { page, context } = await site.openPage({ path: "/" });
  await page.locator("tbody a").first().waitFor();
  const session = await context.newCDPSession(page);
  await session.send("Performance.enable");
  const first = await readHolding(session);
  const loading: Frames[] = [];
  for (const quarter of [1, 2, 3, 4]) loading.push(await scrollToEnd(page, (rowCount / 4) * quarter));
  const last = await readHolding(session);
  await page.evaluate(() => window.scrollTo(0, 0));
  const down = await scrollThrough(page, "10,000 rows, down", seconds);
  const up = await scrollThrough(page, "10,000 rows, up from the end", seconds);
  const jumps = await jump(page);
  process.stdout.write(
    `Scrolling of Explore at 1280 x 900, ${pixelsPerFrame} pixels a frame; ${describeMachine()}\n\n` +
      "| part | last rank | frames | later than 16.7 ms | % | later than 33 ms | % | p50 | p99 | longest, ms |\n" +
      "|---|---|---|---|---|---|---|---|---|---|\n",
  );
  for (const part of [...loading, down, up, jumps]) printRow(part);
  process.stdout.write(`\nheap and nodes of the first page: ${first}; of 10,000 rows: ${last}\n`);
  await context.close();
  await site.close();
  return [
    { name: "rows in the list after scrolling to its end", value: loading.at(-1)!.rows, low: rowCount },
    ...[down, up].flatMap((part) => [
      { name: `${part.name}: frames later than 16.7 ms, %`, value: share(part, 1), high: 5 },
      { name: `${part.name}: frames later than 33 ms, %`, value: share(part, 2), high: 1 },
    ]),
  ];
}

async function insertTokens({ stack }: OpenSite): Promise<void> {
  const indexer = new Pool({ connectionString: stack.databaseUrl });
  try {
    const { rows } = await indexer.query<{ number: number; time: number }>(
      "select block_number::int as number, block_time::int as time from chain.checkpoint",
    );
    const { number, time } = rows[0]!;
    const token = { name: "Harbour", symbol: "HARB", block_number: number, block_time: time };
    const figures = { price: 0.4, market_cap: 4e8, price_24h_ago: 0.3, changed_block: number, changed_time: time };
    await insertToken({ indexer } as unknown as Database, firstId, { ...token, address: toAddress(firstId) }, figures);
    await copyToken(indexer, firstId, rowCount - 1);
  } finally {
    await indexer.end();
  }
}

/** Returns the rank of the last row: rows far from the window are not in the document. */
const countRows = (page: Page) =>
  page.evaluate(() => Number([...document.querySelectorAll("main tbody td:first-child")].at(-1)?.textContent));

/** Scrolls faster than the list grows, until it has this number of rows: each new page loads, renders and is drawn. */
async function scrollToEnd(page: Page, wanted: number): Promise<Frames> {
  const until = Date.now() + loadTimeoutMs;
  const intervals: number[] = [];
  let rows = await countRows(page);
  while (rows < wanted && Date.now() < until) {
    intervals.push(...(await recordFrames(page, { step: 400, ms: 1_000 })));
    rows = await countRows(page);
  }
  return { name: `loading up to ${wanted} rows`, intervals, rows };
}

/** Reads the heap after a garbage collection, and the nodes of the document. */
async function readHolding(session: CDPSession): Promise<string> {
  await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  const read = (name: string) => metrics.find((metric) => metric.name === name)!.value;
  return `${(read("JSHeapUsedSize") / 1e6).toFixed(1)} MB, ${read("Nodes").toLocaleString("en")} nodes`;
}

/** Scrolls with a constant number of pixels a frame. */
async function scrollThrough(page: Page, name: string, seconds: number): Promise<Frames> {
  const isUp = name.includes("up");
  if (isUp) await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
  const intervals = await recordFrames(page, { step: isUp ? -pixelsPerFrame : pixelsPerFrame, ms: seconds * 1_000 });
  return { name, intervals, rows: await countRows(page) };
}

/** Moves the scroll bar to forty places of the list: the browser lays out pages that it has not drawn lately. */
async function jump(page: Page): Promise<Frames> {
  const intervals: number[] = [];
  for (let place = 0; place < 40; place++) {
    const part = ((place * 17) % 40) / 40;
    await page.evaluate((share) => window.scrollTo(0, document.documentElement.scrollHeight * share), part);
    intervals.push(...(await recordFrames(page, { step: 0, ms: 250 })));
  }
  return { name: "jumps to 40 places", intervals, rows: await countRows(page) };
}

/** Returns the times between frames while the page scrolls by `step` pixels in each of them. */
const recordFrames = (page: Page, options: { step: number; ms: number }) =>
  page.evaluate(
    ({ step, ms }) =>
      new Promise<number[]>((resolve) => {
        const at: number[] = [];
        const draw = (now: number) => {
          at.push(now);
          if (now - at[0]! >= ms) return resolve(at.slice(1).map((time, index) => time - at[index]!));
          if (step !== 0) window.scrollBy({ top: step, behavior: "instant" });
          requestAnimationFrame(draw);
        };
        requestAnimationFrame(draw);
      }),
    options,
  );

const countLate = ({ intervals }: Frames, frames: number) =>
  intervals.filter((interval) => interval > frames * frameMs + toleranceMs).length;
const share = (part: Frames, frames: number) => (countLate(part, frames) / part.intervals.length) * 100;

function printRow(part: Frames): void {
  const { name, intervals, rows } = part;
  const at = (quantile: number) => percentile(intervals, quantile).toFixed(1);
  process.stdout.write(
    `| ${name} | ${rows} | ${intervals.length} | ${countLate(part, 1)} | ${share(part, 1).toFixed(1)} | ${countLate(part, 2)} | ` +
      `${share(part, 2).toFixed(1)} | ${at(0.5)} | ${at(0.99)} | ${Math.max(...intervals).toFixed(0)} |\n`,
  );
}
