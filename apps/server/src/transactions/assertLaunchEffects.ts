import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { SlipwayError } from "@slipway/protocol/errors";
import type { AssetChange } from "@slipway/protocol/transaction";
import { decodeFunctionResult, type Hex, zeroAddress } from "viem";
import { isSameAddress } from "./isSameAddress.ts";
import type { LaunchTerms, PredictedLaunch } from "./launchTerms.ts";
import type { Simulation } from "./simulate.ts";

/** The accounts of a launch that its terms do not contain. */
type LaunchAccounts = { payer: Hex; factory: Hex; token: Hex };

/**
 * Asserts the transfers of a simulated launch: the payer spends at most the value, in native; a creator who does not
 * pay spends nothing; the recipient of the initial buy receives at least the minimum; the factory keeps nothing.
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
  throw new SlipwayError("simulation_reverted", "The simulated launch makes other transfers than requested.", {
    details: { spent: spent.toString(), bought: bought.toString(), kept_by_factory: keeps },
  });
}

/**
 * Asserts that the simulation returns the predicted addresses and the computed output of the initial buy. A difference
 * means that the chain runs other code.
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
    throw new SlipwayError("manifest_unverified", "The pool on the chain returns another amount than computed.");
  }
  throw new SlipwayError("manifest_unverified", "The factory on the chain returns other addresses than predicted.");
}
