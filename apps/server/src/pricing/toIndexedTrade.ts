import { formatRatio } from "@slipway/protocol/decimalText";
import { accountSource, type IndexedTrade } from "@slipway/protocol/indexed";
import { plausibleEthUsd, tradePrices } from "@slipway/protocol/price";
import { z } from "zod";
import { finiteOrNull, toChecksumAddress, toIsoTime } from "./format.ts";

/** A trade as returned by queries and the outbox: Unix seconds, lower-case addresses, base units as decimal text. */
export const tradeRow = z.object({
  tx_hash: z.string(),
  log_index: z.number(),
  block_number: z.number(),
  block_time: z.number(),
  is_buy: z.boolean(),
  maker: z.string(),
  recipient: z.string(),
  // Absent in the outbox's rows of an earlier version.
  account: z.string().optional(),
  account_source: accountSource.optional(),
  token_amount: z.string(),
  quote_amount: z.string(),
  eth_usd: z.number().nullable(),
});
export type TradeRow = z.infer<typeof tradeRow>;

/** Converts a row to the API's trade: exact amounts, and the execution price and value derived from them. */
export function toIndexedTrade(row: TradeRow): IndexedTrade {
  const ethUsd = row.eth_usd === null ? null : plausibleEthUsd(row.eth_usd);
  const [tokenAmount, quoteAmount] = [BigInt(row.token_amount), BigInt(row.quote_amount)];
  const prices = tradePrices(tokenAmount, quoteAmount, ethUsd);
  return {
    id: `${row.tx_hash}:${row.log_index}`,
    tx_hash: row.tx_hash,
    log_index: row.log_index,
    block_number: row.block_number,
    block_timestamp: toIsoTime(row.block_time),
    side: row.is_buy ? "buy" : "sell",
    maker: toChecksumAddress(row.maker),
    recipient: toChecksumAddress(row.recipient),
    account: toChecksumAddress(row.account ?? row.maker),
    account_source: row.account_source ?? "sender",
    token_amount: row.token_amount,
    quote_amount: row.quote_amount,
    price_eth: finiteOrNull(prices.priceEth),
    price_eth_exact: tokenAmount === 0n ? null : formatRatio(quoteAmount, tokenAmount),
    price_usd: finiteOrNull(prices.priceUsd),
    volume_usd: finiteOrNull(prices.volumeUsd),
  };
}
