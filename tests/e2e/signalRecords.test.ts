import { localPairs } from "@slipway/dev/exchange/startExchange";
import type { Stack } from "@slipway/dev/startStack";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RecomputeBar } from "../support/signals/recomputeOutcomes.ts";
import { getSignalKey, recomputeRecords } from "../support/signals/recomputeRecords.ts";
import { startBuiltStack } from "../support/startBuiltStack.ts";

const pairs = Object.keys(localPairs);
const strategyCount = 6;

let stack: Stack;
let database: Client;
beforeAll(async () => {
  stack = await startBuiltStack({ exchange: true, serverEnvironment: { MARKET_HISTORY_DAYS: "200" } });
  database = new Client({ connectionString: stack.databaseUrl });
  await database.connect();
}, 600_000);
afterAll(async () => {
  await database?.end();
  await stack?.stop();
});

const get = async (path: string): Promise<any> => {
  const response = await fetch(`${stack.siteUrl}${path}`);
  expect([path, response.status]).toEqual([path, 200]);
  return await response.json();
};

/** Reads all hours of a pair, page by page. */
async function readHours(pair: string): Promise<RecomputeBar[]> {
  const bars: RecomputeBar[] = [];
  for (let before: number | null = null; ; ) {
    const query = `interval=1h&limit=1000${before === null ? "" : `&before=${before}`}`;
    const page = await get(`/api/markets/${pair}/bars?${query}`);
    bars.unshift(
      ...page.items.map(({ t: time, o: open, h: high, l: low, c: close }: any) => ({ time, open, high, low, close })),
    );
    before = page.next_before;
    if (before === null) return bars;
  }
}

/** The data published with each signal when it was emitted. */
async function readConfidences(): Promise<Map<string, number | null>> {
  const { rows } = await database.query<{ pair: string; strategy: string; at: number; confidence: number | null }>(
    "select pair, strategy, closed_at::float8 as at, confidence from app.signals",
  );
  return new Map(rows.map(({ pair, strategy, at, confidence }) => [getSignalKey(pair, strategy, at), confidence]));
}

test("every published record of the local stack's markets equals, to the last digit, what other code computes from their bars", async () => {
  /** Returns the published records, and the records computed from the published bars. */
  const compare = async () => {
    const published = (await get("/api/trading-bot/signal-records")).items as any[];
    if (published.length < pairs.length * strategyCount) return { published: published.length, computed: null };
    const markets = await Promise.all(pairs.map(async (pair) => ({ key: pair, pair, bars: await readHours(pair) })));
    const computed = recomputeRecords(markets, await readConfidences());
    return {
      published: published.map(({ pair, strategy, resolved, skill, track_record }) => {
        return { pair, strategy, resolved, skill, track_record };
      }),
      computed,
    };
  };
  let last = await compare();
  // Waits for the history, and repeats if an hour ends between two reads.
  await expect
    .poll(
      async () => {
        last = await compare();
        return JSON.stringify(last.published) === JSON.stringify(last.computed);
      },
      { timeout: 400_000, interval: 2_000 },
    )
    .toBe(true)
    .catch(() => expect(last.published).toEqual(last.computed));
  expect(last.computed!.filter(({ track_record: record }) => record !== null).length).toBeGreaterThan(20);
}, 600_000);
