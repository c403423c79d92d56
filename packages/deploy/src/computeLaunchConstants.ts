import { sqrtPriceX96AtTick } from "@slipway/protocol/poolMath";
import { DeployError } from "./deployError.ts";

/** The 1% pool's outermost tick: the largest multiple of its tick spacing within Uniswap's bounds. */
const outermostTick = 887_200;
const tickSpacing = 200;
const supply = 1_000_000_000n * 10n ** 18n;

/** The arguments of a LaunchFactory other than addresses: the start price for either token order, and the liquidity. */
export type LaunchConstants = {
  startTick: number;
  sqrtPriceX96IfToken0: bigint;
  sqrtPriceX96IfToken1: bigint;
  liquidityIfToken0: bigint;
  liquidityIfToken1: bigint;
};

/**
 * Computes the constants of a start tick exactly: prices bit by bit as the pool computes them, and the maximum liquidity
 * that the whole supply pays for between the start price and the outermost tick.
 *
 * @param startTick - The start price as a tick when the token is token1; a multiple of 200.
 * @throws DeployError `invalid_option` when a 1% pool cannot start a launch at the tick.
 */
export function computeLaunchConstants(startTick: number): LaunchConstants {
  if (!Number.isInteger(startTick) || startTick % tickSpacing !== 0 || Math.abs(startTick) >= outermostTick) {
    throw new DeployError(
      "invalid_option",
      `the start tick ${startTick} is not a multiple of ${tickSpacing} between -${outermostTick} and ${outermostTick}, both excluded`,
    );
  }
  const minPrice = sqrtPriceX96AtTick(-outermostTick);
  const maxPrice = sqrtPriceX96AtTick(outermostTick);
  const ifToken0 = sqrtPriceX96AtTick(-startTick);
  const ifToken1 = sqrtPriceX96AtTick(startTick);
  const constants = {
    startTick,
    sqrtPriceX96IfToken0: ifToken0,
    sqrtPriceX96IfToken1: ifToken1,
    liquidityIfToken0: maxLiquidity((liquidity) => amount0RoundedUp(liquidity, ifToken0, maxPrice)),
    liquidityIfToken1: maxLiquidity((liquidity) => amount1RoundedUp(liquidity, minPrice, ifToken1)),
  };
  const maxUint96 = 2n ** 96n - 1n;
  for (const liquidity of [constants.liquidityIfToken0, constants.liquidityIfToken1]) {
    if (liquidity === 0n || liquidity > maxUint96) {
      throw new DeployError(
        "invalid_option",
        `at the start tick ${startTick} the liquidity is ${liquidity}: none that the locker can hold`,
      );
    }
  }
  return constants;
}

// Whitepaper 6.29 and 6.30, rounded up at each division as the pool does for amounts that it receives.
function amount0RoundedUp(liquidity: bigint, lower: bigint, upper: bigint): bigint {
  return ceilDiv(ceilDiv((liquidity << 96n) * (upper - lower), upper), lower);
}

function amount1RoundedUp(liquidity: bigint, lower: bigint, upper: bigint): bigint {
  return ceilDiv(liquidity * (upper - lower), 1n << 96n);
}

function maxLiquidity(getCost: (liquidity: bigint) => bigint): bigint {
  let affordable = 0n;
  let tooMuch = 1n << 128n;
  while (tooMuch - affordable > 1n) {
    const middle = (affordable + tooMuch) >> 1n;
    if (getCost(middle) <= supply) affordable = middle;
    else tooMuch = middle;
  }
  return affordable;
}

function ceilDiv(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator;
}
