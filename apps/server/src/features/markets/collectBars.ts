import { type Job, repeat } from "../../job.ts";
import {
  type CollectedMarket,
  claimExchange,
  deleteOldMinutes,
  getProgress,
  releaseExchanges,
  setProgress,
} from "../../markets/collection.ts";
import type { Bar, BarInterval } from "../../markets/readBars.ts";
import { listMarkets } from "../../markets/readMarkets.ts";
import type { MarketSource } from "../../providers/markets/marketSource.ts";
import { type AskingDeps, askForBars, ExchangeFailed, storeScreened } from "./askForBars.ts";

/** An exchange with its listed markets. */
export type CollectedExchange = { source: MarketSource; markets: readonly CollectedMarket[] };

const day = 86_400;
const minuteDays = 90;
const batchSize = 5_000;
const maintainEveryMs = 30_000;

/**
 * The delay between the end of a bar and its request: exchanges publish a bar late, and a stream reports minutes
 * itself.
 */
const settleSeconds = 2;
const streamedSettleSeconds = 10;
/** The delay before a request that returned no bar is repeated. */
const retryMs = 20_000;

/**
 * Starts the job that collects bars from exchanges: the history of a new market, then each hour and each minute after
 * it ends. Minutes come from the exchange's stream if it has one. One process at a time sends requests to an exchange;
 * a failure delays only the next attempt at that exchange.
 *
 * @param holder - The id of this process in its leases.
 */
export function collectBars(deps: AskingDeps, exchanges: readonly CollectedExchange[], holder: string): Job {
  const states = exchanges.map((exchange) => createCollector(deps, exchange, holder));
  let maintainedAt = Number.NEGATIVE_INFINITY;
  const run = async (signal: AbortSignal) => {
    const results = await Promise.allSettled(states.map((state) => state.collect(signal)));
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    if (Math.abs(deps.clock.now() - maintainedAt) >= maintainEveryMs) {
      maintainedAt = deps.clock.now();
      await maintain(deps);
    }
    return results.some((result) => result.status === "fulfilled" && result.value);
  };
  const job = repeat(deps, { name: "collect bars", pauseMs: deps.config.MARKETS_POLL_MS, run });
  return {
    stop: async () => {
      await job.stop();
      await Promise.all(states.map((state) => state.stopStream()));
      await releaseExchanges(deps.db.api, holder).catch(() => undefined);
    },
  };
}

/** Deletes minutes older than 90 days, and sets the gauge of the markets' ages. */
async function maintain({ clock, db, metrics }: AskingDeps): Promise<void> {
  const nowSeconds = Math.floor(clock.now() / 1000);
  await deleteOldMinutes(db.api, nowSeconds - minuteDays * day, batchSize);
  for (const { pair, source, lastBarAt } of await listMarkets(db.api, nowSeconds)) {
    if (source === "exchange" && lastBarAt !== null) metrics.marketAge.set({ pair }, nowSeconds - lastBarAt - 3600);
  }
}

/** Creates the collector of an exchange: it requests due bars, and runs the stream while the process has the lease. */
function createCollector(deps: AskingDeps, { source, markets }: CollectedExchange, holder: string) {
  const { clock, config, db, log } = deps;
  /** The earliest time of the next request in milliseconds, by market and interval. */
  const notBefore = new Map<string, number>();
  let stream: { stopping: AbortController; finished: Promise<void> } | null = null;

  const onBar = (pair: string, bar: Bar) => {
    const market = markets.find((candidate) => candidate.pair === pair)!;
    storeStreamed(deps, source.id, market, bar).catch((error: unknown) =>
      log.warn({ err: error, exchange: source.id, pair }, "streamed bar not stored"),
    );
  };
  const startStream = () => {
    if (stream !== null || source.watch === undefined || markets.length === 0) return;
    const stopping = new AbortController();
    const pairs = markets.map(({ pair }) => pair);
    stream = { stopping, finished: source.watch(pairs, onBar, stopping.signal) };
  };
  const stopStream = async () => {
    const ending = stream;
    stream = null;
    ending?.stopping.abort();
    await ending?.finished;
  };

  /** Requests one page. @returns true when another page is due immediately. */
  const collectMarket = async (market: CollectedMarket, interval: BarInterval): Promise<boolean> => {
    const key = `${market.id} ${interval}`;
    const nowMs = clock.now();
    if (nowMs < (notBefore.get(key) ?? 0)) return false;
    const settle = interval === 60 && source.watch !== undefined ? streamedSettleSeconds : settleSeconds;
    const last = getLastOpen(nowMs, interval, settle);
    const through = (await getProgress(db.api, market.id, interval, 0)) ?? getFirstOpen(config, last, interval);
    // After a long pause, minutes older than 90 days are not requested.
    const from = interval === 60 ? Math.max(through, last - minuteDays * day) : through;
    if (from > last) return false;
    const done = await askForBars(deps, source, market, { interval, stage: 0, from, to: last });
    if (done === null || done === from) notBefore.set(key, nowMs + retryMs);
    return done !== null && done > from && done <= last;
  };

  return {
    stopStream,
    /** Requests the due bars of each market once. @returns true when more bars are due immediately. */
    async collect(signal: AbortSignal): Promise<boolean> {
      if (markets.length === 0) return false;
      if (!(await claimExchange(db.api, source.id, holder, clock.now()))) {
        // Another process has the lease, or requests to the exchange are delayed.
        await stopStream();
        return false;
      }
      startStream();
      let isMoreDue = false;
      try {
        // Hours first: the screening of minutes depends on them.
        for (const interval of [3600, 60] as const) {
          for (const market of markets) {
            signal.throwIfAborted();
            if (await collectMarket(market, interval)) isMoreDue = true;
          }
        }
      } catch (error) {
        if (!(error instanceof ExchangeFailed)) throw error;
        return false;
      }
      return isMoreDue;
    },
  };
}

/** Stores a streamed minute if it follows the last one. Requests fill the gap before a later minute. */
async function storeStreamed(deps: AskingDeps, exchange: string, market: CollectedMarket, bar: Bar): Promise<void> {
  const through = await getProgress(deps.db.api, market.id, 60, 0);
  if (through !== bar.time) return;
  const done = await storeScreened(deps, exchange, market, { interval: 60, bars: [bar], source: "live" });
  if (done !== null) await setProgress(deps.db.api, market.id, 60, 0, { through: done, error: null });
}

/** Returns the open of the last bar that ended at least `settle` seconds ago. */
export function getLastOpen(nowMs: number, interval: BarInterval, settle: number): number {
  const seconds = Math.floor(nowMs / 1000) - settle;
  return seconds - (seconds % interval) - interval;
}

/** Returns the start of a new market's history: a day back for minutes, `MARKET_HISTORY_DAYS` back for hours. */
function getFirstOpen(config: AskingDeps["config"], last: number, interval: BarInterval): number {
  return last - (interval === 60 ? day : config.MARKET_HISTORY_DAYS * day) + interval;
}
