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

/** The exchange does not answer, or refuses requests for a while. It is recorded; its other markets would fail as well. */
export class ExchangeFailed extends Error {
  override readonly name = "ExchangeFailed";
}

/**
 * Asks an exchange for the bars of a market that open from `from` to `to` (at most `maxBars`), stores those that can be,
 * and records how far the stage is done.
 *
 * @returns Until when it is done, in Unix seconds: behind the last bar, or at one whose price must be confirmed; null when
 *   the exchange does not have the market.
 * @throws ExchangeFailed
 */
export async function askForBars(
  deps: AskingDeps,
  source: MarketSource,
  market: CollectedMarket,
  asked: { interval: BarInterval; stage: Stage; from: number; to: number },
): Promise<number | null> {
  const { db, clock, log, metrics } = deps;
  const { interval, stage, from } = asked;
  const to = Math.min(asked.to, from + (maxBars - 1) * interval);
  let bars: Bar[];
  try {
    bars = await source.bars(market.pair, interval, from, to);
    // Exchanges count bars, and go on behind `to` where some are missing: the stage is not done there.
    bars = bars.filter(({ time }) => !(time > to));
  } catch (error) {
    if (!(error instanceof MarketSourceError)) throw error;
    if (error.code === "closed") throw new ExchangeFailed(error.message);
    metrics.marketRequests.inc({ exchange: source.id, outcome: error.code });
    log.warn({ exchange: source.id, pair: market.pair, code: error.code, reason: error.message }, "no bars");
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
  // A whole page without bars is passed over; at the end they may only be late.
  const isPage = to - from >= (maxBars - 1) * interval;
  const done = through ?? (isPage ? to + interval : from);
  await setProgress(db.api, market.id, interval, stage, { through: done, error: null });
  return done;
}

/**
 * Stores those of a market's bars that can be; the others are counted, and logged.
 *
 * @param reported - Ascending. A bar that is not over yet is left out.
 * @returns Until when there is nothing left to ask for, in Unix seconds; null without a closed bar.
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
  const known = await readKnownPrices(db.api, market.id, interval, bars[0]!.time);
  // The screening of a new market depends on its history alone.
  if (interval === 3600) known.medianMove ??= getMedianMove(bars);
  const screened = screenBars(bars, known, { interval, nowSeconds });
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
