import type { Deps } from "../../deps.ts";
import {
  type CollectedMarket,
  readKnownPrices,
  recordExchangeFailure,
  recordExchangeSuccess,
  type Stage,
  setProgress,
} from "../../markets/collection.ts";
import type { Bar, BarInterval } from "../../markets/readBars.ts";
import { getMedianMove, screenBars } from "../../markets/screenBars.ts";
import { type barSources, storeBars } from "../../markets/storeBars.ts";
import { type MarketSource, MarketSourceError, maxBars } from "../../providers/markets/marketSource.ts";

export type AskingDeps = Pick<Deps, "clock" | "config" | "db" | "log" | "metrics">;

/** The minimum delay after an exchange has refused a request for its rate limit. */
const rateLimitedMs = 60_000;

/** A failure of an exchange, which affects all its markets. It is recorded unless this process ended the request. */
export class ExchangeFailed extends Error {
  override readonly name = "ExchangeFailed";
}

/**
 * Requests the bars of a market that open from `from` to `to` (at most `maxBars`), stores the valid ones, and records
 * the progress of the stage.
 *
 * @returns The new progress in Unix seconds: the end of the last bar, or the open of a bar whose price is held back;
 *   null when the exchange does not have the market.
 * @throws ExchangeFailed
 */
export async function askForBars(
  deps: AskingDeps,
  source: MarketSource,
  market: CollectedMarket,
  request: { interval: BarInterval; stage: Stage; from: number; to: number },
): Promise<number | null> {
  const { db, clock, log, metrics } = deps;
  const { interval, stage, from } = request;
  const to = Math.min(request.to, from + (maxBars - 1) * interval);
  let bars: Bar[];
  try {
    bars = await source.bars(market.pair, interval, from, to);
    // Exchanges limit the number of bars, not the time: if bars are missing, bars after `to` follow, beyond this stage.
    bars = bars.filter(({ time }) => !(time > to));
  } catch (error) {
    if (!(error instanceof MarketSourceError)) throw error;
    if (error.code === "closed") throw new ExchangeFailed(error.message);
    metrics.marketRequests.inc({ exchange: source.id, outcome: error.code });
    log.warn({ exchange: source.id, pair: market.pair, code: error.code, reason: error.message }, "bar request failed");
    if (error.code === "unknown_market") {
      await setProgress(db.api, market.id, 3600, 0, { through: 0, error: error.code });
      return null;
    }
    const leastDelayMs = error.code === "rate_limited" ? rateLimitedMs : 0;
    await recordExchangeFailure(db.api, source.id, { code: error.code, leastDelayMs, nowMs: clock.now() });
    throw new ExchangeFailed(error.message, { cause: error });
  }
  metrics.marketRequests.inc({ exchange: source.id, outcome: "answered" });
  await recordExchangeSuccess(db.api, source.id);
  const through = await storeScreened(deps, source.id, market, { interval, bars, source: "history" });
  // Skips a whole page without bars. In the last, shorter page, missing bars may only be late.
  const isPage = to - from >= (maxBars - 1) * interval;
  const done = through ?? (isPage ? to + interval : from);
  await setProgress(db.api, market.id, interval, stage, { through: done, error: null });
  return done;
}

/**
 * Stores the valid bars of a market; counts and logs the refused ones.
 *
 * @param reported - Ascending. The bar in progress is skipped.
 * @returns The time from which bars are still to be requested, in Unix seconds; null without a closed bar.
 */
export async function storeScreened(
  { clock, db, log, metrics }: AskingDeps,
  exchange: string,
  market: CollectedMarket,
  reported: { interval: BarInterval; bars: readonly Bar[]; source: keyof typeof barSources },
): Promise<number | null> {
  const { interval, source } = reported;
  const nowSeconds = Math.floor(clock.now() / 1000);
  const inProgress = nowSeconds - (nowSeconds % interval);
  const bars = reported.bars.filter(({ time }) => time !== inProgress);
  if (bars.length === 0) return null;
  const knownPrices = await readKnownPrices(db.api, market.id, interval, bars[0]!.time);
  // A new market has no stored moves: the median comes from the received history.
  if (interval === 3600) knownPrices.medianMove ??= getMedianMove(bars);
  const screened = screenBars(bars, knownPrices, { interval, nowSeconds });
  for (const [fault, refused] of Map.groupBy(screened.refused, (one) => one.fault)) {
    metrics.marketBarsRefused.inc({ exchange, fault }, refused.length);
    const { time, close } = refused[0]!.bar;
    log.warn({ exchange, pair: market.pair, interval, fault, count: refused.length, time, close }, "bars refused");
  }
  const { added, revised } = await storeBars(db.api, market.id, interval, source, screened.accepted);
  metrics.marketBars.inc({ exchange, outcome: "added" }, added);
  metrics.marketBars.inc({ exchange, outcome: "revised" }, revised);
  if (screened.heldAt !== null) return screened.heldAt;
  const closed = bars.filter(({ time }) => Number.isFinite(time) && time < inProgress);
  return closed.length === 0 ? null : closed.at(-1)!.time + interval;
}
