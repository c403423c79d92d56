import { type Ended, type RecomputeMarket, recomputeOutcomes } from "./recomputeOutcomes.ts";

const day = 86_400;
const print = (value: number) => Number(value.toPrecision(6));
const printBps = (value: number) => print(value * 10_000);
const getSum = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
const toText = (seconds: number) => new Date(seconds * 1000).toISOString();

/** A record as the service returns it, by the rules of docs/models.md. */
export type RecomputedRecord = {
  pair: string;
  strategy: string;
  resolved: number;
  skill: string;
  track_record: Record<string, unknown> | null;
};

/**
 * Returns all records of these markets, computed only from their bars, ordered by pair and strategy.
 *
 * @param published - The confidence that was published with a signal, by `getSignalKey`, if the markets did not become
 *   known at once: it covers the markets known at that time. Default: the confidence over all markets.
 */
export function recomputeRecords(
  markets: readonly RecomputeMarket[],
  published?: ReadonlyMap<string, number | null>,
): RecomputedRecord[] {
  const outcomes = recomputeOutcomes(markets);
  if (published !== undefined) {
    for (const one of outcomes) one.confidence = published.get(getSignalKey(one.pair, one.strategy, one.at)) ?? null;
  }
  const days = outcomes.map(({ at }) => Math.floor(at / day));
  const first = Math.min(...days);
  const last = Math.max(...days);
  const groups = [...Map.groupBy(outcomes, ({ market, strategy }) => `["${market}","${strategy}@1"]`)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, group]) => group.sort((a, b) => a.at - b.at || a.endedAt - b.endedAt));
  const daily = groups.map((group) => byDay(group, first, last).sums);
  const chances = superiorChances(daily);
  const shapes = daily.map(toShape);
  const center = getSum(shapes.map(({ ratio }) => ratio)) / shapes.length;
  const variance = getSum(shapes.map(({ ratio }) => (ratio - center) ** 2)) / shapes.length;
  const records = groups.map((group, k): RecomputedRecord => {
    const record = toRecord(group, shapes[k]!, deflate(shapes[k]!, groups.length, variance), groups.length);
    const isPositive = record.lower > 0 && chances[k]! < 0.05 && record.deflated > 0.95;
    const isKnown = group.length >= 30;
    return {
      pair: group[0]!.pair,
      strategy: group[0]!.strategy,
      resolved: group.length,
      skill: isKnown ? (isPositive ? "positive" : "none") : "unproven",
      track_record: isKnown ? record.printed : null,
    };
  });
  return records.sort((a, b) => (a.pair + a.strategy < b.pair + b.strategy ? -1 : 1));
}

/** Returns the key of a signal: its market, its strategy and the close of its bar in Unix seconds. */
export const getSignalKey = (pair: string, strategy: string, closedAt: number) => `${pair} ${strategy} ${closedAt}`;

/** The standard normal distribution: Marsaglia's series (2004), and Laplace's continued fraction for its tails. */
function normalCdf(x: number): number {
  const density = Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
  if (Math.abs(x) > 3) {
    let fraction = Math.abs(x);
    for (let n = 200; n > 0; n--) fraction = Math.abs(x) + n / fraction;
    return x > 0 ? 1 - density / fraction : density / fraction;
  }
  let [term, sum] = [x, x];
  for (let i = 3; Math.abs(term) > 1e-18; i += 2) {
    term *= (x * x) / i;
    sum += term;
  }
  return 0.5 + sum * density;
}

/** The inverse of the normal distribution, by bisection. */
function normalQuantile(p: number): number {
  let [low, high] = [-8, 8];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (normalCdf(middle) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

function byDay(group: readonly Ended[], first: number, last: number) {
  const sums = Array.from({ length: last - first + 1 }, () => 0);
  const counts = sums.slice();
  for (const { at, value } of group) {
    const index = Math.floor(at / day) - first;
    sums[index] = sums[index]! + value;
    counts[index] = counts[index]! + 1;
  }
  return { sums, counts };
}

/** The documented generator with seed 1: mulberry32. */
function generator() {
  let a = 1;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (((t ^ (t >>> 14)) >>> 0) + 0.5) / 2 ** 32;
  };
}

/** Returns the days of one resample: blocks with a mean of 5 days, wrapped at the end. */
function resample(length: number, next: () => number): number[] {
  const chosen: number[] = [];
  for (let i = 0; i < length; i++) {
    const begins = i === 0 || next() < 1 / 5;
    chosen.push(begins ? Math.floor(next() * length) : (chosen[i - 1]! + 1) % length);
  }
  return chosen;
}

/** Returns, by strategy, how often the best of strategies without skill is as good (Hansen 2005), of 500 resamples. */
function superiorChances(daily: readonly number[][]): number[] {
  const n = daily[0]!.length;
  const next = generator();
  const means = daily.map((values) => getSum(values) / n);
  const draws = Array.from({ length: 500 }, () => {
    const chosen = resample(n, next);
    return daily.map((values) => getSum(chosen.map((index) => values[index]!)) / n);
  });
  const spread = means.map((mean, k) => Math.sqrt(getSum(draws.map((draw) => n * (draw[k]! - mean) ** 2)) / 500));
  const score = means.map((mean, k) => (Math.sqrt(n) * mean) / spread[k]!);
  const least = -Math.sqrt(2 * Math.log(Math.log(n)));
  const best = draws.map((draw) =>
    Math.max(
      0,
      ...draw.map((value, k) => (Math.sqrt(n) * (value - (score[k]! >= least ? means[k]! : 0))) / spread[k]!),
    ),
  );
  return score.map((own) => best.filter((value) => value >= Math.max(0, own)).length / 500);
}

type Shape = { ratio: number; n: number; skew: number; kurtosis: number };

function toShape(values: readonly number[]): Shape {
  const n = values.length;
  const mean = getSum(values) / n;
  const moment = (power: number) => getSum(values.map((value) => (value - mean) ** power)) / n;
  const ratio = mean / Math.sqrt((moment(2) * n) / (n - 1));
  return { ratio, n, skew: moment(3) / moment(2) ** 1.5, kurtosis: moment(4) / moment(2) ** 2 };
}

/** The deflated Sharpe ratio (Bailey & López de Prado 2014). */
function deflate({ ratio, n, skew, kurtosis }: Shape, trials: number, variance: number): number {
  const gamma = 0.5772156649015329;
  const expected =
    trials < 2
      ? 0
      : Math.sqrt(variance) *
        ((1 - gamma) * normalQuantile(1 - 1 / trials) + gamma * normalQuantile(1 - 1 / (trials * Math.E)));
  const error = Math.sqrt((1 - skew * ratio + ((kurtosis - 1) / 4) * ratio ** 2) / (n - 1));
  return normalCdf((ratio - expected) / error);
}

function meanInterval(group: readonly Ended[]): [number, number] {
  const { sums, counts } = byDay(group, Math.floor(group[0]!.at / day), Math.floor(group.at(-1)!.at / day));
  const next = generator();
  const means = Array.from({ length: 1000 }, () => {
    const chosen = resample(sums.length, next);
    const count = getSum(chosen.map((index) => counts[index]!));
    return count === 0 ? 0 : getSum(chosen.map((index) => sums[index]!)) / count;
  }).sort((a, b) => a - b);
  return [means[25]!, means[975]!];
}

function toRecord(group: readonly Ended[], shape: Shape, deflated: number, tested: number) {
  const values = group.map(({ value }) => value);
  const n = values.length;
  const hits = values.filter((value) => value > 0).length;
  const losses = -getSum(values.filter((value) => value <= 0));
  let [total, peak, fall] = [0, 0, 0];
  for (const value of values) {
    total += value;
    peak = Math.max(peak, total);
    fall = Math.min(fall, total - peak);
  }
  const [lower, upper] = meanInterval(group);
  const z = 1.959963984540054;
  const rate = hits / n;
  const middle = (rate + z ** 2 / (2 * n)) / (1 + z ** 2 / n);
  const half = (z * Math.sqrt((rate * (1 - rate)) / n + z ** 2 / (4 * n ** 2))) / (1 + z ** 2 / n);
  const known = group.filter(({ confidence }) => confidence !== null);
  const errors = known.map(({ confidence, value }) => (confidence! - (value > 0 ? 1 : 0)) ** 2);
  const latest = group.reduce((a, b) => (b.endedAt > a.endedAt ? b : a));
  const printed = {
    n,
    hit_rate: print(rate),
    hit_rate_ci95: [print(Math.max(0, middle - half)), print(Math.min(1, middle + half))],
    mean_return_bps: printBps(total / n),
    mean_return_ci95: [printBps(lower), printBps(upper)],
    cost_bps: printBps(getSum(group.map(({ cost }) => cost)) / n),
    profit_factor: losses > 0 ? print(getSum(values.filter((value) => value > 0)) / losses) : null,
    max_drawdown: print(fall),
    sharpe: print(shape.ratio * Math.sqrt(365)),
    deflated_sharpe: print(deflated),
    market_change: print(latest.exit / group[0]!.price - 1),
    brier: errors.length > 0 ? print(getSum(errors) / errors.length) : null,
    window: { from: toText(group[0]!.at), to: toText(latest.endedAt) },
    out_of_sample: true,
    lookahead_checked: true,
    tested_strategies: tested,
  };
  return { lower, deflated, printed };
}
