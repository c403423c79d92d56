import { parseAbi } from "viem";

/** The events of a Uniswap v3 pool. */
export const poolAbi = parseAbi([
  "event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)",
  "event Initialize(uint160 sqrtPriceX96, int24 tick)",
  "event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)",
  "event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)",
  "event Collect(address indexed owner, address recipient, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount0, uint128 amount1)",
  "event CollectProtocol(address indexed sender, address indexed recipient, uint128 amount0, uint128 amount1)",
  "event Flash(address indexed sender, address indexed recipient, uint256 amount0, uint256 amount1, uint256 paid0, uint256 paid1)",
  "event SetFeeProtocol(uint8 feeProtocol0Old, uint8 feeProtocol1Old, uint8 feeProtocol0New, uint8 feeProtocol1New)",
]);

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
