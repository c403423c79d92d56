import type { IndexedCandle, IndexedTrade } from "@slipway/protocol/indexed";
import { plausibleEthUsd, tradePrices } from "@slipway/protocol/price";
import { checksumOf, dollars, finite, isoTime } from "./format.ts";

/** A trade; times in Unix seconds, amounts in base units as decimal text. */
export type TradeRow = {
  tx_hash: string;
  log_index: number;
  block_number: number;
  block_time: number;
  is_buy: boolean;
  maker: string;
  recipient: string;
  token_amount: string;
  quote_amount: string;
  eth_usd: number | null;
};

/** A trade on the wire: exact amounts, and what they say of its execution price and worth. */
export function toIndexedTrade(row: TradeRow): IndexedTrade {
  const ethUsd = row.eth_usd === null ? null : plausibleEthUsd(row.eth_usd);
  const prices = tradePrices(BigInt(row.token_amount), BigInt(row.quote_amount), ethUsd);
  return {
    id: `${row.tx_hash}:${row.log_index}`,
    tx_hash: row.tx_hash,
    log_index: row.log_index,
    block_number: row.block_number,
    block_timestamp: isoTime(row.block_time),
    side: row.is_buy ? "buy" : "sell",
    maker: checksumOf(row.maker),
    recipient: checksumOf(row.recipient),
    token_amount: row.token_amount,
    quote_amount: row.quote_amount,
    price_eth: finite(prices.priceEth),
    price_usd: finite(prices.priceUsd),
    volume_usd: finite(prices.volumeUsd),
  };
}

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
