/*
 * Recomputes records of signals from bars with independent code, which shares no indicator, barrier or statistic with
 * the service. Both results must be equal to the last digit.
 */

export type RecomputeBar = { time: number; open: number; high: number; low: number; close: number };
export type RecomputeMarket = { key: string; pair: string; bars: readonly RecomputeBar[] };

type Said = { market: string; pair: string; strategy: string; long: boolean; at: number; price: number; range: number };
export type Ended = Said & { exit: number; endedAt: number; value: number; cost: number; confidence: number | null };

const hour = 3600;
const day = 24 * hour;
const month = 30 * day;

/** Returns every resolved signal of six rules: each hour uses the bars from the last but one multiple of 30 days on. */
function recomputeSignals({ key, pair, bars }: RecomputeMarket): Ended[] {
  const ended: Ended[] = [];
  const blocks = [...new Set(bars.map(({ time }) => Math.floor(time / month)))];
  for (const block of blocks) {
    const seen = bars.filter(({ time }) => time >= (block - 1) * month && time < (block + 1) * month);
    const closes = seen.map(({ close }) => close);
    const slow = average(closes, 200);
    const signs: Record<string, (number | null)[]> = {
      rsi_reversion: crossings(relativeStrength(closes), (value) => (value < 30 ? 1 : value > 70 ? -1 : 0), 100),
      bollinger_reversion: crossings(bandSides(closes), (side) => -side, 21),
      macd_trend: crossings(histogram(closes), Math.sign, 100),
      ema_cross: crossings(
        average(closes, 50).map((value, i) => value - slow[i]!),
        Math.sign,
        400,
      ),
      donchian_breakout: crossings(channelSides(seen), (side) => side, 22),
      momentum_28d: seen.map((bar, i) => (i + 1 < 600 ? null : monthlySign(bar, seen))),
    };
    const ranges = trueRangeAverage(seen);
    for (const [strategy, values] of Object.entries(signs)) {
      for (const [i, value] of values.entries()) {
        const bar = seen[i]!;
        if (!value || Math.floor(bar.time / month) !== block || i < 23) continue;
        const said = { market: key, pair, strategy, long: value > 0, at: bar.time + hour, price: bar.close };
        const cost = 0.002 + getSpread(seen.slice(Math.max(0, i - 167), i + 1));
        const end = follow({ ...said, range: ranges[i]! }, bars, cost);
        if (end !== null) ended.push(end);
      }
    }
  }
  return ended;
}

/** Returns a value at each change of its sign to another non-zero sign, from the bar `warmUp` on. */
function crossings(values: readonly (number | null)[], toSign: (value: number) => number, warmUp: number) {
  return values.map((value, i) => {
    const before = values[i - 1] ?? null;
    if (value === null || before === null || i + 1 < warmUp) return null;
    const now = toSign(value);
    const then = toSign(before);
    return now !== then && now !== 0 ? now : null;
  });
}

function average(values: readonly number[], length: number): number[] {
  const result: number[] = [];
  for (const [i, value] of values.entries()) {
    const weight = 2 / (length + 1);
    result.push(i === 0 ? value : value * weight + result[i - 1]! * (1 - weight));
  }
  return result;
}

/** Wilder's average: the mean of the first values, then a weight of 1/n for each next value. */
function wilder(values: readonly number[], length: number): (number | null)[] {
  let current: number | null = null;
  return values.map((value, i) => {
    if (i + 1 === length) current = values.slice(0, length).reduce((a, b) => a + b, 0) / length;
    else if (current !== null) current += (value - current) / length;
    return current;
  });
}

function relativeStrength(closes: readonly number[]): (number | null)[] {
  const moves = closes.slice(1).map((close, i) => close - closes[i]!);
  const gains = wilder(
    moves.map((move) => Math.max(0, move)),
    14,
  );
  const losses = wilder(
    moves.map((move) => Math.max(0, -move)),
    14,
  );
  return [null, ...gains.map((gain, i) => (gain === null ? null : (100 * gain) / (gain + losses[i]!)))];
}

function bandSides(closes: readonly number[]): (number | null)[] {
  return closes.map((close, i) => {
    if (i < 19) return null;
    const last = closes.slice(i - 19, i + 1);
    const middle = last.reduce((a, b) => a + b, 0) / 20;
    const deviation = Math.sqrt(last.reduce((sum, value) => sum + (value - middle) ** 2, 0) / 20);
    return close < middle - 2 * deviation ? -1 : close > middle + 2 * deviation ? 1 : 0;
  });
}

function histogram(closes: readonly number[]): (number | null)[] {
  const slow = average(closes, 26);
  const line = average(closes, 12).map((value, i) => value - slow[i]!);
  const signal = average(line.slice(25), 9);
  return line.map((value, i) => (i < 25 ? null : value - signal[i - 25]!));
}

function channelSides(bars: readonly RecomputeBar[]): (number | null)[] {
  return bars.map(({ close }, i) => {
    if (i < 20) return null;
    const last = bars.slice(i - 20, i);
    if (close > Math.max(...last.map(({ high }) => high))) return 1;
    return close < Math.min(...last.map(({ low }) => low)) ? -1 : 0;
  });
}

function monthlySign({ time, close }: RecomputeBar, bars: readonly RecomputeBar[]): number | null {
  if ((time + hour) % day !== 0) return null;
  const before = bars.find((bar) => bar.time === time - 28 * day);
  return before === undefined ? null : Math.sign(close / before.close - 1);
}

function trueRangeAverage(bars: readonly RecomputeBar[]): (number | null)[] {
  const ranges = bars.map(({ high, low }, i) => {
    const before = bars[i - 1]?.close ?? high;
    return i === 0 ? high - low : Math.max(high - low, Math.abs(high - before), Math.abs(low - before));
  });
  return wilder(ranges, 14);
}

/** Corwin & Schultz (2012) with their correction of gaps; negative estimates are 0. */
function getSpread(bars: readonly RecomputeBar[]): number {
  let sum = 0;
  for (let i = 1; i < bars.length; i++) {
    const a = bars[i - 1]!;
    const b = bars[i]!;
    const shift = b.low > a.close ? b.low - a.close : b.high < a.close ? b.high - a.close : 0;
    const high = b.high - shift;
    const low = b.low - shift;
    const beta = Math.log(a.high / a.low) ** 2 + Math.log(high / low) ** 2;
    const gamma = Math.log(Math.max(a.high, high) / Math.min(a.low, low)) ** 2;
    const k = 3 - 2 * Math.SQRT2;
    const alpha = (Math.sqrt(2 * beta) - Math.sqrt(beta)) / k - Math.sqrt(gamma / k);
    sum += Math.max(0, (2 * (Math.exp(alpha) - 1)) / (1 + Math.exp(alpha)));
  }
  return sum / (bars.length - 1);
}

/** Entry at the next open; exit at 2 ranges against the position, 3 in its favour, or after 24 hours. */
function follow(said: Said, bars: readonly RecomputeBar[], cost: number): Ended | null {
  const { long, at, price, range } = said;
  if (!(range > 0)) return null;
  const sign = long ? 1 : -1;
  const stop = price - sign * 2 * range;
  const profit = price + sign * 3 * range;
  if (Math.min(stop, profit) <= 0) return null;
  const held = bars.filter(({ time }) => time >= at && time < at + day);
  const isOver = bars.at(-1)!.time + hour >= at + day + 25 * hour;
  const entry = held[0];
  if (entry === undefined || (entry.time !== at && !isOver)) return null;
  const close = (exit: number, { time }: RecomputeBar): Ended => {
    const value = sign * (exit / entry.open - 1) - cost;
    return { ...said, exit, endedAt: time + hour, value, cost, confidence: null };
  };
  for (const [i, bar] of held.entries()) {
    if (bar.time !== at + i * hour && !isOver) return null;
    if (sign * (bar.open - stop) <= 0 || sign * (bar.open - profit) >= 0) return close(bar.open, bar);
    if (sign * ((long ? bar.low : bar.high) - stop) <= 0) return close(stop, bar);
    if (sign * ((long ? bar.high : bar.low) - profit) >= 0) return close(profit, bar);
  }
  const last = held.at(-1)!;
  return held.length === 24 || isOver ? close(last.close, last) : null;
}

/** Returns the signals of all markets, each with the hit rate that was known at its close. */
export function recomputeOutcomes(markets: readonly RecomputeMarket[]): Ended[] {
  const ended = markets.flatMap(recomputeSignals).sort((a, b) => a.at - b.at);
  const waiting = [...ended].sort((a, b) => a.endedAt - b.endedAt);
  const known = new Map<string, Map<string, [hits: number, count: number]>>();
  let next = 0;
  for (const signal of ended) {
    for (; next < waiting.length && waiting[next]!.endedAt <= signal.at; next++) {
      const { strategy, market, value } = waiting[next]!;
      if (!known.has(strategy)) known.set(strategy, new Map());
      const [hits, count] = known.get(strategy)!.get(market) ?? [0, 0];
      known.get(strategy)!.set(market, [hits + (value > 0 ? 1 : 0), count + 1]);
    }
    signal.confidence = toFrequency(known.get(signal.strategy), signal.market);
  }
  return ended;
}

/** (hits + κ p) / (n + κ), κ from the intraclass correlation of the markets' hit rates. */
function toFrequency(known: Map<string, [number, number]> | undefined, market: string): number | null {
  const all = [...(known?.values() ?? [])];
  const total = all.reduce((sum, [, count]) => sum + count, 0);
  if (total < 30) return null;
  const p = all.reduce((sum, [hits]) => sum + hits, 0) / total;
  const between = all.reduce((sum, [hits, count]) => sum + count * (hits / count - p) ** 2, 0);
  const effective = total - all.reduce((sum, [, count]) => sum + count ** 2, 0) / total;
  const others = all.length - 1;
  const correlation = (between - p * (1 - p) * others) / (p * (1 - p) * (effective - others));
  if (!(correlation > 0) || effective <= all.length - 1) return p;
  const kappa = Math.max(0, 1 / Math.min(1, correlation) - 1);
  const [hits, count] = known!.get(market) ?? [0, 0];
  return count + kappa === 0 ? p : (hits + kappa * p) / (count + kappa);
}
