import { larger, smaller } from "./bigints.ts";
import { positionAmounts, sqrtPriceX96AtTick } from "./poolMath.ts";

/** The locked position of a launch. The token and wrapped native have 18 decimals. */
export type LockedPosition = {
  liquidity: bigint;
  tickLower: number;
  tickUpper: number;
  /** Whether the launch token is the pool's token0. */
  isToken0: boolean;
};

/** Square-root prices by tick: all launches of a deployment share their ticks. */
const boundaries = new Map<number, bigint>();
const maxCachedBoundaries = 1_000;

/** Returns the square-root price of a position's boundary. */
export function getBoundarySqrtPrice(tick: number): bigint {
  let value = boundaries.get(tick);
  if (value === undefined) {
    value = sqrtPriceX96AtTick(tick);
    if (boundaries.size >= maxCachedBoundaries) boundaries.clear();
    boundaries.set(tick, value);
  }
  return value;
}

/**
 * Computes the value of a locked position in whole wrapped native: the quote asset, and the token at the pool's price.
 *
 * @param price - Whole wrapped native for a whole token.
 */
export function computeLiquidityValue(position: LockedPosition, sqrtPriceX96: bigint, price: number): number {
  const { amount0, amount1 } = positionAmounts(
    position.liquidity,
    sqrtPriceX96,
    getBoundarySqrtPrice(position.tickLower),
    getBoundarySqrtPrice(position.tickUpper),
  );
  const [tokens, quote] = position.isToken0 ? [amount0, amount1] : [amount1, amount0];
  return (Number(tokens) * price + Number(quote)) / 1e18;
}

const q96 = 1n << 96n;
const feeDenominator = 1_000_000n;

const divideUp = (numerator: bigint, denominator: bigint) => (numerator + denominator - 1n) / denominator;

/**
 * Computes what the liquidity of a position pays, in base units of wrapped native, for an amount of the launch token
 * (whitepaper, 6.2.3). Liquidity of others in the pool can only increase the payment.
 *
 * @param sqrtPriceX96 - The pool's square-root price.
 * @param feeBps - The pool's fee, which the pool keeps from the amount.
 */
export function quoteSell(position: LockedPosition, sqrtPriceX96: bigint, tokenAmount: bigint, feeBps: number): bigint {
  const { liquidity, isToken0 } = position;
  const lower = getBoundarySqrtPrice(position.tickLower);
  const upper = getBoundarySqrtPrice(position.tickUpper);
  const amountIn = (tokenAmount * (feeDenominator - BigInt(feeBps) * 100n)) / feeDenominator;
  if (liquidity === 0n || amountIn <= 0n) return 0n;
  if (isToken0) {
    // The price falls. The pool rounds it up.
    const from = smaller(sqrtPriceX96, upper);
    if (from <= lower) return 0n;
    const to = larger(divideUp(liquidity * q96 * from, liquidity * q96 + amountIn * from), lower);
    return (liquidity * (from - to)) / q96;
  }
  const from = larger(sqrtPriceX96, lower);
  if (from >= upper) return 0n;
  const to = smaller(from + (amountIn * q96) / liquidity, upper);
  return (liquidity * q96 * (to - from)) / (to * from);
}

/** The amounts of a trade that moves a pool's price, in base units. */
export type PriceMove = {
  /** The amount that a buy pays or a sell receives. */
  quoteAmount: bigint;
  /** The amount that a buy receives or a sell pays. */
  tokenAmount: bigint;
  /** Whether the position reaches as far as the price. If not, the amounts end with the position. */
  isReached: boolean;
};

/**
 * Computes the trade that moves a pool's price to another one if a position is its only liquidity: paid amounts with the
 * pool's fee, rounded up; received ones rounded down (whitepaper, 6.29 and 6.30). Liquidity of others in the pool can only
 * increase both amounts.
 *
 * @param target - The square-root price after the trade.
 */
export function computePriceMove(
  position: LockedPosition,
  sqrtPriceX96: bigint,
  target: bigint,
  feeBps: number,
): PriceMove {
  const { liquidity, isToken0 } = position;
  const lower = getBoundarySqrtPrice(position.tickLower);
  const upper = getBoundarySqrtPrice(position.tickUpper);
  const clamp = (price: bigint) => larger(lower, smaller(upper, price));
  const [from, to] = [clamp(sqrtPriceX96), clamp(target)];
  const [low, high] = [smaller(from, to), larger(from, to)];
  const withFee = (amount: bigint) => divideUp(amount * feeDenominator, feeDenominator - BigInt(feeBps) * 100n);
  const isUp = target > sqrtPriceX96;
  // A rising price takes token1 and gives token0.
  const amount0 = isUp
    ? (liquidity * q96 * (high - low)) / (high * low)
    : withFee(divideUp(liquidity * q96 * (high - low), high * low));
  const amount1 = isUp ? withFee(divideUp(liquidity * (high - low), q96)) : (liquidity * (high - low)) / q96;
  const [tokenAmount, quoteAmount] = isToken0 ? [amount0, amount1] : [amount1, amount0];
  return { tokenAmount, quoteAmount, isReached: target >= lower && target <= upper };
}
