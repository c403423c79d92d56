import { launchTickMultiple } from "@slipway/protocol/feeTiers";
import { launchPosition, outermostTick } from "@slipway/protocol/launchPosition";
import { DeployError } from "./deployError.ts";

/** The arguments of a LaunchFactory other than addresses: the start price for either token order, and the liquidity. */
export type LaunchConstants = {
  startTick: number;
  sqrtPriceX96IfToken0: bigint;
  sqrtPriceX96IfToken1: bigint;
  liquidityIfToken0: bigint;
  liquidityIfToken1: bigint;
};

/** The start tick of a deployment that names none: the whole supply costs about 1.5 native. */
export const defaultStartTick = 203_400;

/**
 * Computes the constants of a start tick exactly: prices bit by bit as the pool computes them, and the maximum liquidity
 * that the whole supply pays for between the start price and the outermost tick.
 *
 * @param startTick - The start price as a tick when the token is token1; a multiple of 600, so that it fits every fee tier.
 * @throws DeployError `invalid_option` when no pool can start a launch at the tick.
 */
export function computeLaunchConstants(startTick: number): LaunchConstants {
  if (!Number.isInteger(startTick) || startTick % launchTickMultiple !== 0 || Math.abs(startTick) >= outermostTick) {
    throw new DeployError(
      "invalid_option",
      `the start tick ${startTick} is not a multiple of ${launchTickMultiple} between -${outermostTick} and ${outermostTick}, both excluded`,
    );
  }
  const ifToken0 = launchPosition(startTick, true);
  const ifToken1 = launchPosition(startTick, false);
  const constants = {
    startTick,
    sqrtPriceX96IfToken0: ifToken0.sqrtPriceX96,
    sqrtPriceX96IfToken1: ifToken1.sqrtPriceX96,
    liquidityIfToken0: ifToken0.liquidity,
    liquidityIfToken1: ifToken1.liquidity,
  };
  const maxUint96 = 2n ** 96n - 1n;
  for (const liquidity of [constants.liquidityIfToken0, constants.liquidityIfToken1]) {
    if (liquidity === 0n || liquidity > maxUint96) {
      throw new DeployError(
        "invalid_option",
        `at the start tick ${startTick} the liquidity is ${liquidity}, which the locker cannot hold`,
      );
    }
  }
  return constants;
}
