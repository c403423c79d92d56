import type { Tables } from "./tables.ts";

export type ReferenceTrade = {
  block: number;
  time: number;
  tx: string;
  price: number;
  ethUsd: number | null;
  isBuy: boolean;
  amount: bigint;
  quote: bigint;
  usd: bigint | null;
  /** The account that traded. */
  account: string;
};

/** Adds amounts; unknown if one is unknown. */
export const sum = (values: (bigint | null)[]): bigint | null =>
  values.includes(null) ? null : (values as bigint[]).reduce((a, b) => a + b, 0n);

/** Average cost in native and in USD, computed separately: a sell removes cost in proportion to the sold amount. */
export function addReferenceCostBasis(
  tables: Tables,
  token: string,
  account: string,
  trades: readonly ReferenceTrade[],
): void {
  const follow = (getValue: (trade: ReferenceTrade) => bigint | null) => {
    let [held, cost, realized]: [bigint, bigint | null, bigint | null] = [0n, 0n, 0n];
    for (const trade of trades) {
      const value = getValue(trade);
      if (trade.isBuy) {
        held += trade.amount;
        cost = sum([cost, value]);
        continue;
      }
      const sold: bigint = trade.amount > held ? held : trade.amount;
      if (sold === 0n) continue;
      const gone: bigint | null = cost === null ? null : (cost * sold) / held;
      const proceeds = value === null ? null : (value * sold) / trade.amount;
      realized = sum([realized, proceeds, gone === null ? null : -gone]);
      held -= sold;
      cost = held === 0n ? 0n : sum([cost, gone === null ? null : -gone]);
    }
    return { held, cost, realized };
  };
  const native = follow((trade) => trade.quote);
  const usd = follow((trade) => trade.usd);
  tables.cost_bases.set(`${token}:${account}`, {
    held: native.held,
    cost: native.cost,
    cost_usd: usd.cost,
    realized: native.realized,
    realized_usd: usd.realized,
  });
  const any = tables.cost_bases.get(`any:${account}`) ?? { realized: 0n, realized_usd: 0n };
  tables.cost_bases.set(`any:${account}`, {
    held: null,
    cost: null,
    cost_usd: null,
    realized: sum([any.realized as bigint, native.realized]),
    realized_usd: sum([any.realized_usd as bigint | null, usd.realized]),
  });
}
