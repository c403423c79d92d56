import type { SwapEstimate } from "./estimateSwap.ts";
import type { ShownQuote } from "./quoteQuery.ts";

/** The figures of a trade, exact or estimated, in base units. */
export type Figures = {
  amountIn: bigint;
  amountOut: bigint | null;
  minimumOut: bigint | null;
  impactBps: number | null;
  feeAmount: bigint | null;
  networkWei: bigint | null;
  networkUsd: number | null;
};

/** The figures before an amount is typed: all unknown. */
export const noFigures: Figures = {
  amountIn: 0n,
  amountOut: null,
  minimumOut: null,
  impactBps: null,
  feeAmount: null,
  networkWei: null,
  networkUsd: null,
};

/** Returns the figures of a quote, or of an estimate if there is no quote. */
export function toFigures(
  amountIn: bigint,
  quote: ShownQuote | null,
  estimate: SwapEstimate | null,
  slippageBps: number,
): Figures {
  if (quote === null) {
    const amountOut = estimate?.amountOut ?? null;
    return {
      ...{ amountIn, amountOut, impactBps: estimate?.priceImpactBps ?? null, feeAmount: estimate?.feeAmount ?? null },
      minimumOut: amountOut === null ? null : (amountOut * BigInt(10_000 - slippageBps)) / 10_000n,
      ...{ networkWei: null, networkUsd: null },
    };
  }
  return {
    amountIn,
    amountOut: BigInt(quote.amount_out),
    minimumOut: BigInt(quote.minimum_out),
    impactBps: quote.price_impact_bps,
    feeAmount: "fee_amount" in quote ? BigInt(quote.fee_amount) : (estimate?.feeAmount ?? null),
    networkWei: quote.fees ? BigInt(quote.fees.total_wei) : null,
    networkUsd: quote.fees?.total_usd ?? null,
  };
}
