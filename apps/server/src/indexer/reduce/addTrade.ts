import { addPrice, bucketStart, candleLengths } from "@slipway/protocol/candle";
import { usdMicros } from "@slipway/protocol/price";
import type { OpenCandle, TokenRef } from "../indexState.ts";
import { addKnown, type Batch, getEthUsd, getMinuteTotals } from "./batch.ts";

/** A swap that moved both assets, from the token's side. */
export type TradeFacts = {
  isBuy: boolean;
  quoteAmount: bigint;
  /** The pool's price after the swap. */
  price: number;
  /** The account that traded, lower case. */
  account: string;
  /** The pool before the swap. The token's fields are the state after the swap. */
  before: PoolPosition;
};

/** A pool's tick, and the liquidity of all owners in range at that tick. */
type PoolPosition = { tick: number; liquidity: bigint };

/** Adds a trade to its token's state, to its four candles and to the sums (docs/api.md, Meanings). */
export function addTrade(batch: Batch, token: TokenRef, facts: TradeFacts): void {
  const { at } = batch;
  const ethUsd = getEthUsd(batch);
  const volumeUsd = usdMicros(facts.quoteAmount, ethUsd);
  token.trades++;
  if (facts.isBuy) token.buys++;
  token.volumeQuote += facts.quoteAmount;
  token.volumeUsd = addKnown(token.volumeUsd, volumeUsd);
  token.traders.set(facts.account, at.blockTime);
  addToCandles(batch, token, facts, volumeUsd);
  token.lastTradeTime = at.blockTime;
  token.lastClose = facts.price;
  token.lastCloseUsd = ethUsd === null ? null : facts.price * ethUsd;
  addToTotals(batch, token, facts, volumeUsd);
}

function addToCandles(batch: Batch, token: TokenRef, facts: TradeFacts, volumeUsd: bigint | null): void {
  const { price } = facts;
  const ethUsd = getEthUsd(batch);
  const priceUsd = ethUsd === null ? null : price * ethUsd;
  for (let i = 0; i < candleLengths.length; i++) {
    const seconds = candleLengths[i]!;
    const t = bucketStart(batch.at.blockTime, seconds);
    let candle = token.candles[i];
    if (candle === undefined || candle.t !== t) {
      candle = openCandle(token, seconds, t);
      token.candles[i] = candle;
      batch.candles.push(candle);
    }
    addPrice(candle, price);
    addUsdPrice(candle, priceUsd);
    candle.n++;
    if (facts.isBuy) candle.buys++;
    candle.vq += facts.quoteAmount;
    candle.v = addKnown(candle.v, volumeUsd);
  }
}

function openCandle(token: TokenRef, seconds: number, t: number): OpenCandle {
  const o = token.lastClose;
  const usd = token.lastCloseUsd;
  return {
    token,
    seconds,
    t,
    o,
    h: o,
    l: o,
    c: o,
    o_usd: usd,
    h_usd: usd,
    l_usd: usd,
    c_usd: usd,
    n: 0,
    buys: 0,
    vq: 0n,
    v: 0n,
    // The batch has no row of this candle yet. If the token's last trade is in its interval, an earlier batch has one.
    continues: token.lastTradeTime !== null && token.lastTradeTime >= t,
  };
}

/** Adds a USD price to a candle. One unknown price makes all USD prices of the candle unknown. */
function addUsdPrice(candle: OpenCandle, price: number | null): void {
  if (price === null || candle.o_usd === null) {
    candle.o_usd = candle.h_usd = candle.l_usd = candle.c_usd = null;
    return;
  }
  candle.h_usd = Math.max(candle.h_usd!, price);
  candle.l_usd = Math.min(candle.l_usd!, price);
  candle.c_usd = price;
}

function addToTotals(batch: Batch, token: TokenRef, facts: TradeFacts, volumeUsd: bigint | null): void {
  const feesUsd = usdMicros(earnedFee(token, facts), getEthUsd(batch));
  const protocolUsd = feesUsd === null ? null : (feesUsd * BigInt(token.protocolFeeBps)) / BigInt(token.feeBps || 1);
  const feesCollaboratorsUsd = feesUsd === null || protocolUsd === null ? null : feesUsd - protocolUsd;
  const totals = getMinuteTotals(batch);
  totals.trades++;
  totals.volume_quote += facts.quoteAmount;
  totals.volume_usd = addKnown(totals.volume_usd, volumeUsd);
  totals.fees_usd = addKnown(totals.fees_usd, feesUsd);
  totals.fees_protocol_usd = addKnown(totals.fees_protocol_usd, protocolUsd);
  totals.fees_collaborators_usd = addKnown(totals.fees_collaborators_usd, feesCollaboratorsUsd);
}

/**
 * Returns the fee that the locked position earned in a trade, as its value in wrapped native: a share of the swap's
 * input (whitepaper, 6.4.1), less 1/denominator for Uniswap's own protocol fee, divided among all liquidity in range.
 */
function earnedFee(token: TokenRef, facts: TradeFacts): bigint {
  const bps = BigInt(token.feeBps);
  // A sell pays its fee in tokens. The output equals the value of the input without the fee.
  const fee = facts.isBuy ? (facts.quoteAmount * bps) / 10000n : (facts.quoteAmount * bps) / (10000n - bps);
  const inputIsToken0 = facts.isBuy !== token.isToken0;
  const denominator = BigInt(inputIsToken0 ? token.poolProtocolFee & 0x0f : token.poolProtocolFee >> 4);
  return toLockedShare(token, facts.before, denominator === 0n ? fee : fee - fee / denominator);
}

/**
 * Returns the locked position's share of a fee: its share of the liquidity in range at the swap's end, or at the swap's
 * start if the swap left the position's range. Exact unless the swap crossed a tick where another position begins or
 * ends.
 */
function toLockedShare(token: TokenRef, before: PoolPosition, fee: bigint): bigint {
  for (const { tick, liquidity } of [token, before]) {
    if (tick < token.tickLower || tick >= token.tickUpper) continue;
    return liquidity > token.lockedLiquidity ? (fee * token.lockedLiquidity) / liquidity : fee;
  }
  return 0n;
}
