import type { IndexedCandle } from "@slipway/protocol/indexed";
import { z } from "zod";
import { toDollars } from "./format.ts";

/** A price or ratio; null if unknown or not finite, which JSON cannot express. */
const figure = z.number().nullable();

/**
 * A candle as returned by queries and the outbox. `o`, `h`, `l`, `c` are in wrapped native per token. `vq` is in base
 * units of wrapped native and `v` in millionths of a dollar, both as decimal text.
 */
export const candleRow = z.object({
  t: z.number(),
  o: figure,
  h: figure,
  l: figure,
  c: figure,
  o_usd: figure,
  h_usd: figure,
  l_usd: figure,
  c_usd: figure,
  n: z.number(),
  buys: z.number(),
  vq: z.string(),
  v: z.string().nullable(),
});
export type CandleRow = z.infer<typeof candleRow>;

/**
 * Converts a row to the API's candle in one quote; null if a value is unknown in that quote.
 *
 * @param traders - The number of different accounts; null if unknown.
 */
export function toIndexedCandle(
  row: CandleRow,
  quote: "usd" | "eth",
  traders: number | null = null,
): IndexedCandle | null {
  const usd = quote === "usd";
  const { o, h, l, c } = usd ? { o: row.o_usd, h: row.h_usd, l: row.l_usd, c: row.c_usd } : row;
  if (![o, h, l, c].every(Number.isFinite)) return null;
  const v = usd ? toDollars(row.v) : null;
  if (usd && v === null) return null;
  const counts = { n: row.n, buys: row.buys, sells: row.n - row.buys, traders };
  return { t: row.t, o: o!, h: h!, l: l!, c: c!, v, vq: Number(row.vq) / 1e18, ...counts };
}
