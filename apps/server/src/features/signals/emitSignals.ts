import { createHash } from "node:crypto";
import { leastResolved, publishedConfidence } from "@slipway/quant/signals/publishedConfidence";
import { fitHitRatePrior, type HitRecord, shrinkHitRate } from "@slipway/quant/signals/shrinkHitRate";
import { lockUntilCommit } from "../../db/advisoryLocks.ts";
import type { Database } from "../../db/database.ts";
import { withTransaction } from "../../db/withTransaction.ts";
import type { Market } from "../../markets/market.ts";
import { type Bar, readBars } from "../../markets/readBars.ts";
import {
  insertSignals,
  listHitRecords,
  listOutcomes,
  listPoolDepths,
  listProgress,
  type NewSignal,
  type PoolDepth,
  type Progress,
  storeProgress,
  toKey,
  toResolvedColumns,
} from "./emissionQueries.ts";
import { type EvaluatedSignal, evaluateBars, getWindowStart, hour } from "./evaluateBars.ts";
import { fillQuietHours, resolveSignal } from "./resolveSignal.ts";
import { getSignalCost } from "./signalCosts.ts";
import { allStrategies } from "./strategies/allStrategies.ts";
import type { Strategy } from "./strategies/strategy.ts";

/** A signal that is computed more than these seconds after its bar is history: too late to follow. */
const liveSeconds = 2 * hour;
/** Number of signals of a market's history that are computed again without later bars. */
const lookAheadSample = 12;

type Db = Pick<Database, "api">;
type Context = { db: Db; now: number; depths: ReadonlyMap<string, PoolDepth> };
type Evaluation = { signals: NewSignal[]; progress: Progress[] };

/**
 * Emits signals for bars that closed since the last run. A new market or strategy gets the signals of all stored bars,
 * as history. A run stores its history in one transaction, and the live signals in one transaction per market.
 *
 * @param markets - The fresh markets.
 * @param now - Unix seconds. Bars that close later are not used yet: the clock may have been set back.
 * @returns The number of stored signals.
 * @throws The first error of a market's evaluation, after the signals of all other markets were stored.
 */
export async function emitSignals(
  db: Db,
  markets: readonly Market[],
  now: number,
  signal: AbortSignal,
): Promise<{ live: number; history: number }> {
  const stored = { live: 0, history: 0 };
  const tokens = markets.flatMap(({ token }) => (token === null ? [] : [token]));
  const depths = new Map((await listPoolDepths(db.api, tokens)).map((depth) => [depth.token, depth]));
  const context = { db, now, depths };
  const progress = await listProgress(db.api);
  const past: Evaluation[] = [];
  const failures: unknown[] = [];
  for (const market of markets) {
    const byKey = new Map(progress.filter((each) => each.market_id === market.id).map((each) => [toKey(each), each]));
    const byThrough = Map.groupBy(allStrategies, ({ name, version }) => {
      return byKey.get(toKey({ strategy: name, strategy_version: version }))?.through ?? null;
    });
    for (const [through, strategies] of byThrough) {
      if (signal.aborted) return stored;
      if (through !== null && (market.lastBarAt ?? 0) + hour <= through) continue;
      const evaluation = await evaluateMarket(context, market, strategies, through).catch((error: unknown) => {
        failures.push(error);
        return null;
      });
      if (evaluation === null) continue;
      // Signals that were missed during downtime can have ended: their confidence is computed like that of history.
      const isLive = through !== null && evaluation.signals.every(({ origin }) => origin === "live");
      if (isLive) add(stored, await storeLive(context, evaluation));
      else past.push(evaluation);
    }
  }
  if (past.length > 0 && !signal.aborted) add(stored, await storeHistory(context, past));
  if (failures.length > 0) throw failures[0];
  return stored;
}

function add(total: { live: number; history: number }, more: { live: number; history: number }): void {
  total.live += more.live;
  total.history += more.history;
}

/**
 * Evaluates a market's bars that close after `through`, or all bars for null.
 *
 * @returns null without new bars or costs.
 */
async function evaluateMarket(
  { db, now, depths }: Context,
  market: Market,
  strategies: readonly Strategy[],
  through: number | null,
): Promise<Evaluation | null> {
  const depth = depths.get(market.token ?? "");
  // Without an ETH price the costs in a pool are unknown: its bars are evaluated later.
  if (market.source === "pool" && (depth?.ethUsd ?? null) === null) return null;
  const range = { to: now - hour, ...(through !== null && { from: getWindowStart(through) }) };
  const bars = await readBars(db.api, market, 3600, range);
  const last = bars.at(-1);
  if (last === undefined || (through !== null && last.time < through)) return null;
  const evaluated: EvaluatedSignal[] = [];
  for (const strategy of strategies) {
    evaluated.push(...evaluateBars(bars, through ?? 0, [strategy]));
    // The history of a market takes a few hundred milliseconds; the process serves requests between strategies.
    await yieldToEventLoop();
  }
  if (through === null) checkLookAhead(bars, evaluated, strategies);
  // The stored bars, not the clock, end positions: the clock can be ahead.
  const shownThrough = last.time + hour;
  const filledBars = market.source === "pool" ? fillQuietHours(bars, shownThrough) : bars;
  const signals = evaluated.flatMap((each) =>
    toNewSignal(market, each, { bars: filledBars, now, through: shownThrough, depth }),
  );
  const progress = strategies.map(({ name, version }) => ({
    ...{ market_id: market.id, strategy: name, strategy_version: version, through: shownThrough },
  }));
  return { signals, progress };
}

function toNewSignal(
  market: Market,
  signal: EvaluatedSignal,
  { bars, now, through, depth }: { bars: readonly Bar[]; now: number; through: number; depth: PoolDepth | undefined },
): NewSignal[] {
  const costs = getSignalCost(market, signal, depth);
  // Skips signals whose costs are unknown or whose values are not finite.
  if (costs === null || !Object.values(signal.indicators).every(Number.isFinite)) return [];
  const { strategy, version, closedAt, spread, stopLoss, takeProfit, direction } = signal;
  const isLive = now - closedAt <= liveSeconds;
  const from = findFirst(bars, closedAt);
  const positionBars = bars.slice(from, from + 25);
  return [
    {
      id: toSignalId(market.pair, strategy, version, closedAt),
      ...{ market_id: market.id, pair: market.pair, token: market.token },
      ...{ strategy, strategy_version: version, direction, origin: isLive ? "live" : "history" },
      ...{ closed_at: closedAt, generated_at: now, price: signal.price, stop_loss: stopLoss, take_profit: takeProfit },
      ...{ ...costs, spread, indicators: signal.indicators, confidence: null },
      // A live signal has no outcome yet: its later bars do not exist.
      ...toResolvedColumns(isLive ? null : resolveSignal({ ...signal, cost: costs.cost }, positionBars, through)),
    },
  ];
}

/** Returns the index of the first bar that opens at a time or later. */
function findFirst(bars: readonly Bar[], time: number): number {
  let [low, high] = [0, bars.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (bars[middle]!.time < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function toSignalId(pair: string, strategy: string, version: number, closedAt: number): string {
  const text = `${pair}|${strategy}|${version}|${closedAt}`;
  return `sg_${createHash("sha256").update(text).digest("hex").slice(0, 24)}`;
}

/**
 * Computes a sample of signals again from the bars up to each signal's close.
 *
 * @throws Error when a signal differs: its strategy used later bars, and none of the signals may be stored.
 */
function checkLookAhead(
  bars: readonly Bar[],
  signals: readonly EvaluatedSignal[],
  strategies: readonly Strategy[],
): void {
  const step = Math.max(1, Math.floor(signals.length / lookAheadSample));
  for (let at = 0; at < signals.length; at += step) {
    const whole = signals[at]!;
    const time = whole.closedAt - hour;
    const prefix = bars.slice(findFirst(bars, getWindowStart(time)), findFirst(bars, time) + 1);
    const again = evaluateBars(prefix, time, strategies).find(({ strategy }) => strategy === whole.strategy);
    if (JSON.stringify(again) !== JSON.stringify(whole)) {
      throw new Error(`the strategy ${whole.strategy} depends on bars after the close of ${whole.closedAt}`);
    }
  }
}

/** Stores the live signals of one market, with the confidence that is known at their close. */
async function storeLive({ db }: Context, { signals, progress }: Evaluation) {
  return await withTransaction(db.api, async (client) => {
    await lockUntilCommit(client, "signals");
    for (const [closedAt, group] of Map.groupBy(signals, (each) => each.closed_at)) {
      const records = await listHitRecords(client, closedAt);
      for (const each of group) each.confidence = getConfidence(records.get(toKey(each)), String(each.market_id));
    }
    const ids = new Set(await insertSignals(client, signals));
    await storeProgress(client, progress);
    return countByOrigin(signals.filter(({ id }) => ids.has(id)));
  });
}

function getConfidence(records: ReadonlyMap<string, HitRecord> | undefined, market: string): number | null {
  const all = [...(records?.values() ?? [])];
  if (all.reduce((sum, { count }) => sum + count, 0) < leastResolved) return null;
  return shrinkHitRate(records!.get(market) ?? { hits: 0, count: 0 }, fitHitRatePrior(all));
}

/** Stores history and missed signals, each with the confidence that was known at its close. */
async function storeHistory({ db }: Context, evaluations: readonly Evaluation[]) {
  const signals = evaluations.flatMap((each) => each.signals).sort((a, b) => a.closed_at - b.closed_at);
  return await withTransaction(db.api, async (client) => {
    await lockUntilCommit(client, "signals");
    const earlier = await listOutcomes(client);
    const outcomes = signals.map((each) => ({
      ...{ market: String(each.market_id), strategy: toKey(each), closedAt: each.closed_at },
      ...{ resolvedAt: each.resolved_at, isHit: each.outcome === "hit" },
    }));
    const confidence = publishedConfidence([...outcomes, ...earlier]);
    const rows = signals.map((each, index) => ({ ...each, confidence: confidence[index]! }));
    const ids = new Set(await insertSignals(client, rows));
    await storeProgress(
      client,
      evaluations.flatMap(({ progress }) => progress),
    );
    return countByOrigin(rows.filter(({ id }) => ids.has(id)));
  });
}

function countByOrigin(signals: readonly NewSignal[]): { live: number; history: number } {
  const live = signals.filter(({ origin }) => origin === "live").length;
  return { live, history: signals.length - live };
}

async function yieldToEventLoop(): Promise<void> {
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
}
