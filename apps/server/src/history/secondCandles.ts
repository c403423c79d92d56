import { usdMicros } from "@slipway/protocol/price";
import type { CandleRow } from "../pricing/toIndexedCandle.ts";
import type { PricedTrade } from "./pricedTradeQueries.ts";

/** A candle of a second, and the number of different accounts of its trades. */
export type SecondCandle = CandleRow & { traders: number };

/** The price before the first trade, in wrapped native per token and in USD. */
type Opening = { price: number; usd: number | null };

/**
 * Derives the candles of a second from consecutive trades, newest first. Equals the candles of the index
 * (indexer/reduce/addTrade.ts): `o` is the price before, and a USD price is null if ETH/USD is unknown at the open or at a
 * trade.
 *
 * @param trades - Newest first.
 * @param opening - The price before the oldest trade; null if trades before it are missing, so that the oldest second can
 *   be incomplete and is left out.
 */
export function deriveSecondCandles(trades: readonly PricedTrade[], opening: Opening | null): SecondCandle[] {
  const candles: SecondCandle[] = [];
  let before = opening;
  const bySecond = Map.groupBy(trades.toReversed(), (trade) => trade.block_time);
  for (const [t, own] of bySecond) {
    const last = own.at(-1)!;
    if (before !== null) candles.push(toCandle(t, own, before));
    before = { price: last.pool_price, usd: toUsd(last) };
  }
  return candles.toReversed();
}

const toUsd = ({ pool_price, eth_usd }: PricedTrade) => (eth_usd === null ? null : pool_price * eth_usd);

function toCandle(t: number, trades: readonly PricedTrade[], opening: Opening): SecondCandle {
  const prices = [opening.price, ...trades.map(({ pool_price }) => pool_price)];
  const usd = [opening.usd, ...trades.map(toUsd)];
  const known = usd.includes(null) ? null : (usd as number[]);
  const values = trades.map((trade) => usdMicros(BigInt(trade.quote_amount), trade.eth_usd));
  const sum = (amounts: readonly bigint[]) => amounts.reduce((a, b) => a + b, 0n).toString();
  return {
    t,
    o: opening.price,
    h: Math.max(...prices),
    l: Math.min(...prices),
    c: prices.at(-1)!,
    o_usd: known?.[0] ?? null,
    h_usd: known && Math.max(...known),
    l_usd: known && Math.min(...known),
    c_usd: known?.at(-1) ?? null,
    n: trades.length,
    buys: trades.filter(({ is_buy }) => is_buy).length,
    vq: sum(trades.map(({ quote_amount }) => BigInt(quote_amount))),
    v: values.includes(null) ? null : sum(values as bigint[]),
    traders: new Set(trades.map(({ account_id }) => account_id)).size,
  };
}
