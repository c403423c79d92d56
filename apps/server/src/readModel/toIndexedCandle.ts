import type { IndexedCandle } from "@slipway/protocol/indexed";
import { dollars } from "./dollars.ts";

/** A bucket of chain.candles; amounts as decimal text. */
export type CandleRow = {
  t: number;
  o: number;
  h: number;
  l: number;
  c: number;
  o_usd: number | null;
  h_usd: number | null;
  l_usd: number | null;
  c_usd: number | null;
  n: number;
  vq: string;
  v: string | null;
};

/** A bucket on the wire in one quote; null where one of its figures is not known in it. */
export function toIndexedCandle(row: CandleRow, quote: "usd" | "eth"): IndexedCandle | null {
  const usd = quote === "usd";
  const { o, h, l, c } = usd ? { o: row.o_usd, h: row.h_usd, l: row.l_usd, c: row.c_usd } : row;
  if (![o, h, l, c].every(Number.isFinite)) return null;
  const v = usd ? dollars(row.v) : null;
  if (usd && v === null) return null;
  return { t: row.t, o: o!, h: h!, l: l!, c: c!, v, vq: Number(row.vq) / 1e18, n: row.n };
}
