import type { TradeCallsRequest } from "@slipway/protocol/tradeCalls";

/** A trade order. `amount` is the exact input in base units. */
export type TradeOrder = {
  token: string;
  wallet: string;
  side: "buy" | "sell";
  /** The asset that a buy spends or a sell receives. */
  asset: "native" | "wrapped";
  amount: string;
  slippageBps: number;
};

export type Permit = NonNullable<TradeCallsRequest["permit"]>;

/** Converts an order to the request of POST /trade/calls. */
export function toRequest(order: TradeOrder, permit: Permit | null = null): TradeCallsRequest {
  const { token, wallet, side, asset, amount, slippageBps } = order;
  return {
    token,
    wallet,
    side,
    amount_in: amount,
    slippage_bps: slippageBps,
    ...(side === "buy" ? { pay: asset } : { receive: asset }),
    ...(permit === null ? {} : { permit }),
  };
}

/** The confirmation that a price impact requires. */
export type ImpactLevel = "none" | "amber" | "tick" | "typed";

/** Returns the level of a price impact: coloured from 3%, a tick from 5%, typing the symbol from 15%. */
export function getImpactLevel(bps: number | null): ImpactLevel {
  if (bps === null || bps < 300) return "none";
  if (bps < 500) return "amber";
  return bps < 1_500 ? "tick" : "typed";
}

/** Whether the review asks to confirm a price impact. */
export const needsConfirmation = (bps: number | null): boolean => ["tick", "typed"].includes(getImpactLevel(bps));

/** Whether a quote is worse than the accepted one by more than half the slippage. */
export const isWorse = (amountOut: bigint, accepted: bigint, slippageBps: number): boolean =>
  amountOut * 20_000n < accepted * BigInt(20_000 - slippageBps);
