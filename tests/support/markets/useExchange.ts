import { type LocalExchange, startExchange } from "@slipway/dev/exchange/startExchange";
import type { Clock } from "@slipway/server/clock";
import { parseConfig } from "@slipway/server/config";
import { createIds } from "@slipway/server/createIds";
import type { Deps } from "@slipway/server/deps";
import { startMarketJobs } from "@slipway/server/features/markets/startMarketJobs";
import type { Job } from "@slipway/server/job";
import { type Bar, type BarInterval, readBars } from "@slipway/server/markets/readBars";
import { listMarkets } from "@slipway/server/markets/readMarkets";
import { createMetrics } from "@slipway/server/metrics";
import { systemClock } from "@slipway/server/systemClock";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { type ReadDatabase, startReadDatabase } from "../server/readDatabase.ts";
import { clear } from "../server/rows.ts";

/** The pairs of the tests' exchange. */
export const testPairs = {
  BTC_USDT: { start: 42_000, hourlyMove: 0.0045, volume: 900 },
  ETH_USDT: { start: 2_300, hourlyMove: 0.0055, volume: 14_000 },
};

/** A whole hour; the exchange has closed the hour before it. */
const startMs = Date.UTC(2026, 2, 4, 12) + 30_000;

/**
 * A database, a real exchange behind ccxt's override of URLs, and the jobs of markets, on a clock that tests advance.
 */
export function useExchange(settings: Record<string, string> = {}) {
  let nowMs = startMs;
  /** Sleeps end immediately: only the clock's time determines what is due. */
  const clock: Clock = { now: () => nowMs, sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 20), signal) };
  const fixture = { database: null as unknown as ReadDatabase, exchange: null as unknown as LocalExchange };
  let running: Job[] = [];

  beforeAll(async () => {
    fixture.database = await startReadDatabase();
  });
  afterAll(async () => {
    await fixture.database?.stop();
  });
  beforeEach(async () => {
    nowMs = startMs;
    await clear(fixture.database.db);
    fixture.exchange = await startExchange({ pairs: testPairs, now: () => nowMs });
  });
  afterEach(async () => {
    await Promise.all(running.map((job) => job.stop()));
    running = [];
    await fixture.exchange?.stop();
  });

  const createMarketDeps = (environment: Record<string, string> = {}): Deps => {
    const config = parseConfig({
      DATABASE_URL: "postgres://unused",
      RPC_URL: "http://127.0.0.1:1",
      MARKETS_POLL_MS: "10",
      MARKETS: "BTC_USDT=binance:BTC/USDT",
      MARKETS_EXCHANGE_URL: fixture.exchange.url,
      MARKET_HISTORY_DAYS: "3",
      ...settings,
      ...environment,
    });
    const log = pino({ level: process.env.TEST_LOG ?? "silent" });
    return { config, log, clock, ids: createIds(clock), db: fixture.database.db, metrics: createMetrics() } as Deps;
  };

  const now = () => Math.floor(nowMs / 1000);
  const read = async (pair: string, interval: BarInterval = 3600): Promise<Bar[]> => {
    const { rows } = await fixture.database.db.api.query<{ id: number }>("select id from app.markets where pair = $1", [
      pair,
    ]);
    const id = rows[0]?.id ?? -1;
    return await readBars(fixture.database.db.api, { id, source: "exchange", token: null }, interval, {});
  };
  return {
    fixture,
    now,
    read,
    /** Starts the jobs of one process. */
    start: async (environment: Record<string, string> = {}) => {
      const deps = createMarketDeps(environment);
      const job = await startMarketJobs(deps);
      running.push(job);
      return { deps, job };
    },
    step: (seconds: number) => {
      nowMs += seconds * 1000;
    },
    market: async (pair: string) => {
      const markets = await listMarkets(fixture.database.db.api, now());
      return markets.find((market) => market.pair === pair);
    },
    /** The open of the last closed hour. */
    lastHour: () => now() - (now() % 3600) - 3600,
    untilLastBar: async (pair: string, time: number, interval: BarInterval = 3600) =>
      await expect.poll(async () => (await read(pair, interval)).at(-1)?.time).toBe(time),
  };
}
