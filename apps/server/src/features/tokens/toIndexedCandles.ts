import type { CandleInterval, IndexedCandles } from "@slipway/protocol/indexed";
import { type CandleRow, toIndexedCandle } from "../../readModel/toIndexedCandle.ts";
import type { SeriesRow } from "./queries.ts";

/**
 * A page of candles on the wire, oldest first. A series has one quote for all its pages: USD when the worth of every
 * trade of the token is known, otherwise wrapped native with `v` null.
 *
 * @param rows - Newest first, one more than `limit` when there are older ones.
 */
export function toIndexedCandles(rows: readonly SeriesRow[], interval: CandleInterval, limit: number): IndexedCandles {
  const found = rows.filter((row): row is SeriesRow & CandleRow => row.t !== null);
  const page = found.slice(0, limit);
  const inUsd = page.map((row) => toIndexedCandle(row, "usd"));
  const usd = rows[0]!.usd_known && !inUsd.includes(null);
  const candles = usd ? inUsd : page.map((row) => toIndexedCandle(row, "eth"));
  return {
    interval,
    items: candles.filter((candle) => candle !== null).toReversed(),
    price_usd_available: usd,
    quote: usd ? "usd" : "eth",
    next_before: found.length > limit ? page.at(-1)!.t : null,
  };
}
