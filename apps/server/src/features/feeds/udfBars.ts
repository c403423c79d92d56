import { bucketStart } from "@slipway/protocol/candle";
import type { IndexedCandle } from "@slipway/protocol/indexed";
import type { UdfHistory, UdfSymbol } from "@slipway/protocol/udf";
import type { Queryable } from "../../db/database.ts";
import type { SeriesRow } from "../../history/candleQueries.ts";
import type { History } from "../../history/history.ts";
import { type CandleRow, toIndexedCandle } from "../../pricing/toIndexedCandle.ts";

/** Bars of one token that begin before `to`, in Unix seconds: the last `limit`, and without a count none before `from`. */
export type UdfRange = {
  address: string;
  currency: UdfSymbol["currency_code"];
  seconds: number;
  from: number;
  to: number;
  limit: number;
  hasCount: boolean;
};

/**
 * Reads the bars of a chart, oldest first. Trades after `finalTime` can be taken back, so the newest bar has only the
 * complete minutes up to that time.
 */
export async function readUdfBars(
  db: Queryable,
  history: Pick<History, "candles">,
  range: UdfRange,
  finalTime: number,
): Promise<UdfHistory> {
  const { address, seconds, from, to, limit, hasCount } = range;
  const quote = range.currency === "USD" ? "usd" : "eth";
  const read = async (length: number, before: number, count: number) => {
    const rows = await history.candles(db, { address, seconds: length, before: Math.max(0, before), limit: count });
    return (rows ?? [])
      .filter(isCandle)
      .map((row) => toIndexedCandle(row, quote))
      .filter((bar) => bar !== null);
  };

  /** The start of the bar that is not complete, and the end of the last complete minute. */
  const [openStart, minuteEnd] = [bucketStart(finalTime, seconds), bucketStart(finalTime, 60)];
  const isOpenWanted = to > openStart && (hasCount || openStart >= from) && minuteEnd > openStart;
  const minutes = isOpenWanted ? await read(60, minuteEnd, (minuteEnd - openStart) / 60) : [];
  const open = mergeBars(
    openStart,
    minutes.filter(({ t }) => t >= openStart),
  );

  const closed = await read(seconds, Math.min(to, openStart), limit);
  const newestFirst = [...(open === null ? [] : [open]), ...closed].slice(0, limit);
  const bars = newestFirst.filter(({ t }) => hasCount || t >= from).toReversed();
  if (bars.length > 0) {
    return {
      s: "ok",
      t: bars.map(({ t }) => t),
      o: bars.map(({ o }) => o),
      h: bars.map(({ h }) => h),
      l: bars.map(({ l }) => l),
      c: bars.map(({ c }) => c),
      v: bars.map(({ v, vq }) => (quote === "usd" ? v! : vq)),
    };
  }
  // Without it, a chart stops scrolling at a gap.
  const earlier = newestFirst[0];
  return { s: "no_data", ...(earlier !== undefined && { nextTime: earlier.t }) };
}

const isCandle = (row: SeriesRow): row is SeriesRow & CandleRow => row.t !== null;

/** Merges bars, newest first, to one bar; null without bars. */
function mergeBars(t: number, bars: readonly IndexedCandle[]): IndexedCandle | null {
  const [first, last] = [bars.at(-1), bars[0]];
  if (first === undefined || last === undefined) return null;
  const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
  return {
    t,
    o: first.o,
    h: Math.max(...bars.map(({ h }) => h)),
    l: Math.min(...bars.map(({ l }) => l)),
    c: last.c,
    v: bars.some(({ v }) => v === null) ? null : sum(bars.map(({ v }) => v!)),
    vq: sum(bars.map(({ vq }) => vq)),
    n: sum(bars.map(({ n }) => n)),
  };
}
