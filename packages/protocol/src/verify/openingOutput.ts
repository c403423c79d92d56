import { parseAbi } from "viem";
import { launchFactoryAbi } from "../contracts/launchFactory.ts";
import { encodeCall } from "../encodeCall.ts";
import { toPoolFee } from "../feeTiers.ts";
import type { LaunchParams } from "../launchAddress.ts";
import type { LaunchTypedData } from "../launchSignature.ts";
import { computeOpeningBuy } from "../opening.ts";
import type { AskedCall, Contracts } from "./check.ts";

const uniswapFactoryAbi = parseAbi(["function feeAmountTickSpacing(uint24) view returns (int24)"]);

/** The calls whose answers determine the output of an opening's launch, in the order of `computeOpeningOutput`. */
export function createOutputCalls(
  { creator, params }: LaunchTypedData["message"],
  { launch_factory = "", uniswap_factory = "" }: Contracts,
): Pick<AskedCall, "to" | "data">[] {
  const fee = toPoolFee(params.feeBps);
  const predictArgs = [creator as `0x${string}`, params as LaunchParams] as const;
  return [
    { to: launch_factory, data: encodeCall({ abi: launchFactoryAbi, functionName: "START_TICK" }) },
    { to: launch_factory, data: encodeCall({ abi: launchFactoryAbi, functionName: "predict", args: predictArgs }) },
    {
      to: uniswap_factory,
      data: encodeCall({ abi: uniswapFactoryAbi, functionName: "feeAmountTickSpacing", args: [fee] }),
    },
  ];
}

/**
 * Computes the tokens that the launch of an opening yields, exactly, in base units.
 *
 * @param answers - The answers of the chain to `createOutputCalls`.
 * @param value - The wei that the launch spends.
 * @returns Null if the answers describe no launch.
 */
export function computeOpeningOutput(
  answers: readonly string[],
  { feeBps, value, wrappedNative }: { feeBps: number; value: bigint; wrappedNative: string },
): bigint | null {
  const [startTick, predicted, spacing] = answers;
  if (startTick === undefined || predicted === undefined || spacing === undefined) return null;
  const toTick = (word: string) => Number(BigInt.asIntN(24, BigInt(word)));
  const tier = { feeBps, tickSpacing: toTick(spacing) };
  // The first word of two: the token, before the pool.
  const token = BigInt(predicted.slice(0, 66));
  if (tier.tickSpacing <= 0 || token === 0n) return null;
  return computeOpeningBuy(toTick(startTick), tier, value, token < BigInt(wrappedNative));
}
