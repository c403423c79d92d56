import { vestingAbi } from "@slipway/protocol/contracts/vesting";
import { SlipwayError } from "@slipway/protocol/errors";
import type { AssetChange } from "@slipway/protocol/transaction";
import { encodeReleaseVesting } from "@slipway/protocol/vesting";
import { decodeFunctionResult, type Hex } from "viem";
import { isSameAddress } from "../../transactions/isSameAddress.ts";
import { type Context, definePreparation, type Outcome } from "../../transactions/preparation.ts";
import type { Simulation } from "../../transactions/simulate.ts";
import type { VestingState } from "./readVesting.ts";

/** A validated request with the token's vesting; addresses are checksummed. `releasable`: at the newest block. */
export type ReleaseOrder = {
  token: Hex;
  wallet: Hex;
  vesting: Pick<VestingState, "address" | "beneficiary">;
  releasable: bigint;
};

const step = { index: 1, total: 1, description: "Release the vested tokens to their beneficiary" };

/**
 * Prepares the release of the vested tokens of an initial buy. Any wallet may send the transaction; the vesting pays its
 * beneficiary.
 *
 * @throws SlipwayError `pool_not_supported`, `simulation_reverted`, `manifest_unverified`, `chain_unavailable`.
 */
export const prepareRelease = definePreparation({
  action: "release_vesting",
  tokens: (order: ReleaseOrder) => [order.token],
  read: () => null,

  plan: ({ order }: Context<ReleaseOrder>) => {
    const { token, wallet, vesting } = order;
    const data = encodeReleaseVesting(token);
    return {
      shape: "transaction" as const,
      candidates: [{ calls: [{ from: wallet, to: vesting.address, data, value: 0n }] }],
      reads: {},
    };
  },

  check: ({ context, simulation }): Outcome<unknown> => {
    const { token, vesting, releasable } = context.order;
    const amount = decodeFunctionResult({ abi: vestingAbi, functionName: "release", data: simulation.returnData });
    if (simulation.areAssetChangesKnown) assertOnlyRelease(simulation, context.order, amount);
    // A simulated block is seconds ahead: the part that vests in between is not promised. Another account may have released since.
    let promised = releasable;
    if (amount < promised) promised = amount;
    const expected = {
      vesting: vesting.address,
      amounts: promised === 0n ? [] : [{ asset: token, to: vesting.beneficiary, amount: promised.toString() }],
    };
    return { status: promised === 0n ? "nothing_to_do" : "ready", step, next: null, expected };
  },
});

/** Asserts that a simulated release only pays the beneficiary. @throws SlipwayError `simulation_reverted`. */
function assertOnlyRelease({ assetChanges }: Simulation, { token, vesting }: ReleaseOrder, amount: bigint): void {
  const isRelease = ({ asset, from, to, amount: moved }: AssetChange) =>
    isSameAddress(asset, token) &&
    isSameAddress(from, vesting.address) &&
    isSameAddress(to, vesting.beneficiary) &&
    BigInt(moved) === amount;
  if (assetChanges.length === (amount === 0n ? 0 : 1) && assetChanges.every(isRelease)) return;
  throw new SlipwayError("simulation_reverted", "The simulated release makes other transfers than requested.");
}
