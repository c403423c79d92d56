import { addKnown } from "./batch.ts";

/**
 * A maker's basis in a token: what it bought and has not sold, what that cost, and the profit that its sells realized.
 * Native in base units, USD in millionths; null is unknown.
 */
export type CostBasis = {
  held: bigint;
  costQuote: bigint;
  costUsd: bigint | null;
  realizedQuote: bigint;
  realizedUsd: bigint | null;
};

export const noCostBasis: CostBasis = { held: 0n, costQuote: 0n, costUsd: 0n, realizedQuote: 0n, realizedUsd: 0n };

/** A trade of the maker. Amounts are the swap's own, so the pool's fee is part of what a buy costs and a sell yields. */
export type OwnTrade = {
  isBuy: boolean;
  tokenAmount: bigint;
  quoteAmount: bigint;
  /** The quote amount's value at the trade; null when ETH/USD was unknown. */
  usd: bigint | null;
};

/**
 * The basis after a trade, by moving average cost: the weighted average of IAS 2 (paragraph 27), computed anew at each
 * purchase.
 *
 * - A buy of `a` tokens for `p`: held += a, cost += p.
 * - A sell of `a` tokens for `p`: m = min(a, held) of them were bought; cost of these c = floor(cost * m / held), all of it
 *   when m = held; proceeds of these r = floor(p * m / a); realized += r - c, cost -= c, held -= m.
 *
 * Only trades count. Tokens that arrive without one (a transfer, a launch's initial buy for another wallet) have no known
 * cost: selling them realizes nothing, neither profit nor loss. Tokens that leave without one stay in the basis. A
 * network fee is no part of it. A trade of unknown USD value makes the cost in USD unknown until all is sold, and what a
 * sell realized in USD unknown for ever.
 */
export function addToCostBasis(basis: CostBasis, trade: OwnTrade): CostBasis {
  const { held, costQuote, costUsd, realizedQuote, realizedUsd } = basis;
  const { isBuy, tokenAmount, quoteAmount, usd } = trade;
  if (isBuy) {
    const cost = { costQuote: costQuote + quoteAmount, costUsd: addKnown(costUsd, usd) };
    return { held: held + tokenAmount, ...cost, realizedQuote, realizedUsd };
  }
  const unknown = tokenAmount - held;
  const matched = unknown > 0n ? held : tokenAmount;
  if (matched === 0n) return basis;
  const toPart = (amount: bigint, whole: bigint) => (matched === whole ? amount : (amount * matched) / whole);
  const soldQuote = toPart(costQuote, held);
  const soldUsd = costUsd === null ? null : toPart(costUsd, held);
  const profitUsd = usd === null || soldUsd === null ? null : toPart(usd, tokenAmount) - soldUsd;
  const isClosed = matched === held;
  return {
    held: held - matched,
    costQuote: costQuote - soldQuote,
    costUsd: isClosed ? 0n : costUsd === null ? null : costUsd - soldUsd!,
    realizedQuote: realizedQuote + toPart(quoteAmount, tokenAmount) - soldQuote,
    realizedUsd: addKnown(realizedUsd, profitUsd),
  };
}
