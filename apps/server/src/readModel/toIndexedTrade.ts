import type { IndexedTrade } from "@slipway/protocol/indexed";
import { plausibleEthUsd, tradePrices } from "@slipway/protocol/price";
import { checksumOf } from "./checksumOf.ts";
import { finite } from "./finite.ts";
import { isoTime } from "./isoTime.ts";

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
