import { addKnown } from "./batch.ts";

/**
 * An account's basis in a token: the amount bought and not sold, its cost, and the realized profit of the sells. Native is
 * in base units, USD in millionths; null means unknown.
 */
export type CostBasis = {
  held: bigint;
  costQuote: bigint;
  costUsd: bigint | null;
  realizedQuote: bigint;
  realizedUsd: bigint | null;
};

export const noCostBasis: CostBasis = { held: 0n, costQuote: 0n, costUsd: 0n, realizedQuote: 0n, realizedUsd: 0n };

/** A trade of the account. Amounts are the swap's, so the pool's fee affects a buy's cost and a sell's proceeds. */
export type OwnTrade = {
  isBuy: boolean;
  tokenAmount: bigint;
  quoteAmount: bigint;
  /** The quote amount's value at the trade; null when ETH/USD was unknown. */
  usd: bigint | null;
};

/**
 * Returns the basis after a trade by moving average cost: the weighted average of IAS 2 (paragraph 27), recomputed at
 * each buy.
 *
 * - A buy of `a` tokens for `p`: held += a, cost += p.
 * - A sell of `a` tokens for `p`: m = min(a, held) tokens were bought; their cost c = floor(cost * m / held), or the
 *   whole cost if m = held; their proceeds r = floor(p * m / a); realized += r - c, cost -= c, held -= m.
 *
 * Only trades count. Tokens received without a trade (by a transfer, or a launch's initial buy for another wallet) have
 * no known cost: selling them realizes neither profit nor loss. Tokens sent without a trade stay in the basis. Network
 * fees are excluded. A trade of unknown USD value makes the USD cost unknown until all tokens are sold. A sell with
 * unknown USD cost or value makes the realized USD profit unknown permanently.
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
