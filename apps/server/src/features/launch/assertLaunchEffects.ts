import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { SlipwayError } from "@slipway/protocol/errors";
import type { AssetChange } from "@slipway/protocol/transaction";
import { decodeFunctionResult, type Hex, zeroAddress } from "viem";
import type { Simulation } from "../../transactions/simulate.ts";
import type { LaunchTerms, PredictedLaunch } from "./launchTerms.ts";

const isSameAddress = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/** The accounts of a launch beside those of its terms. */
type LaunchAccounts = { payer: Hex; factory: Hex; token: Hex };

/**
 * Asserts what a simulated launch moves: from the payer at most the value, in native; from the creator nothing of its own;
 * to the recipient of the initial buy at least its minimum; and nothing that stays in the factory.
 *
 * @throws SlipwayError `simulation_reverted`.
 */
export function assertLaunchEffects(
  changes: readonly AssetChange[],
  { creator, buy, value }: LaunchTerms,
  { payer, factory, token }: LaunchAccounts,
): void {
  let spent = 0n;
  let bought = 0n;
  let movesOther = false;
  const kept = new Map<string, bigint>();
  for (const { asset, from, to, amount } of changes) {
    const moved = BigInt(amount);
    if (isSameAddress(from, payer) && asset === zeroAddress) spent += moved;
    else if (isSameAddress(from, payer) || isSameAddress(from, creator)) movesOther = true;
    if (isSameAddress(asset, token) && isSameAddress(to, buy.recipient)) bought += moved;
    if (isSameAddress(to, factory)) kept.set(asset, (kept.get(asset) ?? 0n) + moved);
    if (isSameAddress(from, factory)) kept.set(asset, (kept.get(asset) ?? 0n) - moved);
  }
  const keeps = [...kept].filter(([, amount]) => amount > 0n).map(([asset]) => asset);
  if (!movesOther && spent <= value && bought >= buy.minimumOut && keeps.length === 0) return;
  throw new SlipwayError("simulation_reverted", "The simulated launch moves something else than was asked for.", {
    details: { spent: spent.toString(), bought: bought.toString(), kept_by_factory: keeps },
  });
}

/**
 * Asserts that the simulation returns the predicted addresses, and what the initial buy was computed to yield: a difference
 * means other code on the chain.
 */
export function assertPredicted(simulation: Pick<Simulation, "returnData">, predicted: PredictedLaunch): void {
  const [token, pool, amountOut] = decodeFunctionResult({
    abi: launchFactoryAbi,
    functionName: "launch",
    data: simulation.returnData,
  });
  const isAtAddresses = token === predicted.token && pool === predicted.pool;
  if (isAtAddresses && amountOut === predicted.amountOut) return;
  if (isAtAddresses) {
    throw new SlipwayError("manifest_unverified", "The chain's pool does not give the computed amount.");
  }
  throw new SlipwayError("manifest_unverified", "The chain's factory does not give the predicted addresses.");
}
