import { listedBucketStart } from "@slipway/protocol/candle";
import type { IndexedCandle } from "@slipway/protocol/indexed";
import type { CandleRow } from "../../pricing/toIndexedCandle.ts";

/** Returns a function of two numbers that is null if one of them is. */
const known = (choose: (a: number, b: number) => number) => (a: number | null, b: number | null) =>
  a === null || b === null ? null : choose(a, b);
const highest = known(Math.max);
const lowest = known(Math.min);

/** Combines two parts of a candle that starts at `t`. */
function addPart(newer: CandleRow, older: CandleRow, t: number): CandleRow {
  return {
    t,
    o: older.o,
    h: highest(older.h, newer.h),
    l: lowest(older.l, newer.l),
    c: newer.c,
    o_usd: older.o_usd,
    h_usd: highest(older.h_usd, newer.h_usd),
    l_usd: lowest(older.l_usd, newer.l_usd),
    c_usd: newer.c_usd,
    n: older.n + newer.n,
    buys: older.buys + newer.buys,
    vq: (BigInt(older.vq) + BigInt(newer.vq)).toString(),
    v: older.v === null || newer.v === null ? null : (BigInt(older.v) + BigInt(newer.v)).toString(),
  };
}

/**
 * Combines candles into longer ones. The result is what the trades give: `o` of each part is the price before it, which
 * the part before already contains.
 *
 * @param rows - Newest first.
 * @param seconds - The length of the result.
 */
export function combineCandles(rows: readonly CandleRow[], seconds: number): CandleRow[] {
  const combined: CandleRow[] = [];
  for (const row of rows) {
    const t = listedBucketStart(row.t, seconds);
    const newer = combined.at(-1);
    if (newer?.t === t) combined[combined.length - 1] = addPart(newer, row, t);
    else combined.push({ ...row, t });
  }
  return combined;
}

/**
 * Adds a candle for each interval without a trade, with the close of the candle before.
 *
 * @param candles - Oldest first; all candles of the range, and the candle before it if there is one.
 * @param options.last - The start of the last interval.
 * @param options.count - The number of intervals, which end with the last one.
 */
export function fillCandles(
  candles: readonly IndexedCandle[],
  { seconds, last, count }: { seconds: number; last: number; count: number },
): IndexedCandle[] {
  const first = last - (count - 1) * seconds;
  const filled: IndexedCandle[] = [];
  for (const [n, candle] of candles.entries()) {
    if (candle.t >= first) filled.push(candle);
    const end = Math.min(candles[n + 1]?.t ?? last + seconds, last + seconds);
    const empty = toEmptyCandle(candle);
    for (let t = Math.max(candle.t + seconds, first); t < end; t += seconds) filled.push({ ...empty, t });
  }
  return filled;
}

function toEmptyCandle({ c, v }: IndexedCandle): Omit<IndexedCandle, "t"> {
  return { o: c, h: c, l: c, c, v: v === null ? null : 0, vq: 0, n: 0, buys: 0, sells: 0, traders: 0 };
}
