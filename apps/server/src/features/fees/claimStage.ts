import { feeLockerAbi } from "@slipway/protocol/contracts/feeLocker";
import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import type { ClaimRequest, UnsignedResult } from "@slipway/protocol/transaction";
import { decodeFunctionResult, encodeFunctionData, type Hex } from "viem";
import type { Simulation } from "../../transactions/simulate.ts";
import type { IndexedLaunch } from "../../transactions/queries.ts";

export type FeeAmount = { asset: Hex; to: Hex; amount: bigint };

/** The three stages in their order, and what to ask for after each. */
export const stageSteps: Record<ClaimRequest["stage"], { step: UnsignedResult["step"]; next: string | null }> = {
  collect: {
    step: { index: 1, total: 3, description: "Collect the position's fees into credits" },
    next: "POST /fees/claim-transactions with stage settle, after the receipt",
  },
  settle: {
    step: { index: 2, total: 3, description: "Settle the credits to splitter and treasury" },
    next: "POST /fees/claim-transactions with stage release, after the receipt",
  },
  release: { step: { index: 3, total: 3, description: "Release the recipient's part to its wallet" }, next: null },
};

/** Where a stage's call goes, and its data. `recipient` is the payee of a release. */
export function stageCall(
  stage: ClaimRequest["stage"],
  launch: IndexedLaunch,
  assets: readonly Hex[],
  recipient: Hex,
): { to: Hex; data: Hex } {
  switch (stage) {
    case "collect":
      return {
        to: launch.feeLocker,
        data: encodeFunctionData({ abi: feeLockerAbi, functionName: "collect", args: [launch.token] }),
      };
    case "settle":
      return {
        to: launch.feeLocker,
        data: encodeFunctionData({ abi: feeLockerAbi, functionName: "settle", args: [launch.token, assets] }),
      };
    case "release":
      return {
        to: launch.splitter,
        data: encodeFunctionData({ abi: feeSplitterAbi, functionName: "release", args: [assets, recipient] }),
      };
  }
}

/** What a simulated `collect` turns into credits: amounts that the locker gets. */
export function collectedAmounts(launch: IndexedLaunch, simulation: Simulation): FeeAmount[] {
  const [tokenAmount, quoteAmount] = decodeFunctionResult({
    abi: feeLockerAbi,
    functionName: "collect",
    data: simulation.returnData,
  });
  return [
    { asset: launch.token, to: launch.feeLocker, amount: tokenAmount },
    { asset: launch.quoteToken, to: launch.feeLocker, amount: quoteAmount },
  ];
}

/** What a simulated `release` pays. */
export function releasedAmounts(assets: readonly Hex[], recipient: Hex, simulation: Simulation): FeeAmount[] {
  const amounts = decodeFunctionResult({
    abi: feeSplitterAbi,
    functionName: "release",
    data: simulation.returnData,
  });
  return assets.map((asset, i) => ({ asset, to: recipient, amount: amounts[i] ?? 0n }));
}
