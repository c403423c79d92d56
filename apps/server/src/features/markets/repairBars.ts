import { type Job, repeat } from "../../job.ts";
import { type CollectedMarket, claimExchange, getProgress, type Stage, setProgress } from "../../markets/collection.ts";
import type { BarInterval } from "../../markets/readBars.ts";
import type { MarketSource } from "../../providers/markets/marketSource.ts";
import { type AskingDeps, askForBars, ExchangeFailed } from "./askForBars.ts";
import { type CollectedExchange, getLastOpen } from "./collectBars.ts";

/**
 * When bars are requested again: `delay` seconds after their end, and at least `minBars` at once, which limits the
 * number of late requests.
 */
const attempts: readonly { stage: Stage; delay: number; minBars: Record<BarInterval, number> }[] = [
  { stage: 1, delay: 120, minBars: { 60: 5, 3600: 1 } },
  { stage: 2, delay: 3_600, minBars: { 60: 60, 3600: 1 } },
  { stage: 3, delay: 86_400, minBars: { 60: 360, 3600: 6 } },
];

/** Older bars are not requested again: after a long pause, their first collection is recent enough. */
const maxRepairSeconds = 2 * 86_400;

/**
 * Starts the job that requests bars again two minutes, an hour and a day after their end, because exchanges add late
 * trades, correct prices and fill gaps. A changed bar is stored as revised; a bar that the exchange no longer has stays
 * stored.
 *
 * @param holder - The id of this process in its leases, which `collectBars` shares.
 */
export function repairBars(deps: AskingDeps, exchanges: readonly CollectedExchange[], holder: string): Job {
  const run = async (signal: AbortSignal) => {
    const results = await Promise.allSettled(
      exchanges.map(({ source, markets }) => repairExchange(deps, source, markets, holder, signal)),
    );
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    return false;
  };
  return repeat(deps, { name: "repair bars", pauseMs: deps.config.MARKETS_POLL_MS, run });
}

async function repairExchange(
  deps: AskingDeps,
  source: MarketSource,
  markets: readonly CollectedMarket[],
  holder: string,
  signal: AbortSignal,
): Promise<void> {
  const { clock, db } = deps;
  if (markets.length === 0 || !(await claimExchange(db.api, source.id, holder, clock.now()))) return;
  try {
    for (const market of markets) {
      for (const attempt of attempts) {
        for (const interval of [3600, 60] as const) {
          signal.throwIfAborted();
          await repairMarket(deps, source, market, interval, attempt);
        }
      }
    }
  } catch (error) {
    if (!(error instanceof ExchangeFailed)) throw error;
  }
}

async function repairMarket(
  deps: AskingDeps,
  source: MarketSource,
  market: CollectedMarket,
  interval: BarInterval,
  { stage, delay, minBars }: (typeof attempts)[number],
): Promise<void> {
  const { clock, db } = deps;
  const last = getLastOpen(clock.now(), interval, delay);
  const through = await getProgress(db.api, market.id, interval, stage);
  if (through === null) {
    // Older bars came with the history.
    await setProgress(db.api, market.id, interval, stage, { through: last + interval, error: null });
    return;
  }
  const from = Math.max(through, last - maxRepairSeconds);
  if (last - from < (minBars[interval] - 1) * interval) return;
  const done = await askForBars(deps, source, market, { interval, stage, from, to: last });
  // Bars that the exchange lacks now are not requested again in this stage.
  if (done === from) await setProgress(db.api, market.id, interval, stage, { through: last + interval, error: null });
}
