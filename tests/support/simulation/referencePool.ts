/** What an event pays to the pool: 1, nothing: 0, or what the pool pays: -1. */
const signs: Record<string, bigint> = {
  Mint: 1n,
  Swap: 1n,
  Flash: 1n,
  Burn: 0n,
  Collect: -1n,
  CollectProtocol: -1n,
};

/**
 * Adds what an event paid to a pool's reserves: token, then quote. Returns the absolute amounts, or null for an event
 * that is no change of liquidity or assets.
 */
export function payToPool(
  pool: { isToken0: boolean; reserves: [bigint, bigint] },
  name: string,
  args: Record<string, any>,
): [bigint, bigint] | null {
  const sign = signs[name];
  if (sign === undefined || (name === "Burn" && args.amount === 0n)) return null;
  const [amount0, amount1]: [bigint, bigint] =
    name === "Flash" ? [args.paid0, args.paid1] : [args.amount0, args.amount1];
  if (amount0 === 0n && amount1 === 0n && name !== "Burn" && name !== "Mint") return null;
  const amounts: [bigint, bigint] = pool.isToken0 ? [amount0, amount1] : [amount1, amount0];
  const sums = pool.reserves.map((reserve, i) => reserve + sign * amounts[i]!);
  pool.reserves = sums.map((after) => (after > 0n ? after : 0n)) as [bigint, bigint];
  return amounts.map((amount) => (amount < 0n ? -amount : amount)) as [bigint, bigint];
}
