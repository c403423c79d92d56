import { feeLockerAbi } from "@slipway/protocol/contracts/feeLocker";
import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { encodeCall } from "@slipway/protocol/encodeCall";
import type { Warning } from "@slipway/protocol/transaction";
import type { Hex } from "viem";
import { type GroupTrial, paysSome } from "./claimGroups.ts";

/** A call of a claim with its stage; `of` is the token of a collect or settle, or the splitter of a release. */
export type ClaimCall = { to: Hex; data: Hex; stage: "collect" | "settle" | "release"; of: Hex };

/** The calls of a claim in their order, and warnings about failing calls that are left out. */
export type ClaimPlan = { calls: ClaimCall[]; warnings: Warning[] };

/** The asset of a release that pays wrapped native as native. Source: FeeSplitter.UNWRAPPED. */
const unwrapped: Hex = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE";

/**
 * Plans a claim from the trial of its calls. Omits calls that pay nothing to the wallet, and releases from each
 * splitter once. Any account may send the calls, so the caller need not be the payee.
 *
 * @param wrappedNative - The address of the wrapped native.
 */
export function planClaim(
  trials: readonly GroupTrial[],
  wallet: Hex,
  wrappedNative: Hex,
  options: { unwraps: boolean },
): ClaimPlan {
  const plans = trials.map((trial) => planGroup(trial, wallet, wrappedNative, options));
  const calls = plans.flatMap((plan) => plan.calls);
  return {
    // All collections and settlements come before the first release, as in the trial.
    calls: [...calls.filter(({ stage }) => stage !== "release"), ...calls.filter(({ stage }) => stage === "release")],
    warnings: plans.flatMap((plan) => plan.warnings),
  };
}

function planGroup(
  { group, launches, release }: GroupTrial,
  wallet: Hex,
  wrappedNative: Hex,
  { unwraps }: { unwraps: boolean },
): ClaimPlan {
  const { splitter } = group;
  const warnings: Warning[] = [];
  const warn = (stage: ClaimCall["stage"], asset: Hex) => warnings.push(createFailedWarning(stage, asset, splitter));
  const assets = launches.filter((launch) => paysSome(launch.release)).map(({ token }) => token);
  for (const launch of launches) if (launch.release.status === "failure") warn("release", launch.token);
  if (release.status === "failure") warn("release", wrappedNative);
  if (paysSome(release)) {
    assets.push(unwraps ? unwrapped : wrappedNative);
  }

  const settling: ClaimCall[] = [];
  for (const { token, locker, collect, ledgers, settle, payOwed } of launches) {
    const credited = [token, wrappedNative].filter((_, i) => (ledgers[i]?.result?.collaboratorsCredit ?? 0n) > 0n);
    if (collect.status === "failure") warn("collect", token);
    if (settle.status === "failure") warn("settle", token);
    const add = (stage: "collect" | "settle", data: Hex) => settling.push({ to: locker, data, stage, of: token });
    if (settle.status === "success" && credited.length > 0) {
      const collected = collect.result?.some((amount) => amount > 0n) ?? false;
      if (collected) add("collect", encodeLocker("collect", [token]));
      add("settle", encodeLocker("settle", [token, credited]));
    }
    for (const [i, owed] of payOwed.entries()) {
      const asset = [token, wrappedNative][i]!;
      if ((owed.result ?? 0n) > 0n) add("settle", encodeLocker("payOwed", [asset, splitter]));
    }
  }
  if (assets.length === 0) return { calls: [], warnings };
  const data = encodeCall({ abi: feeSplitterAbi, functionName: "release", args: [assets, wallet] });
  return { calls: [...settling, { to: splitter, data, stage: "release", of: splitter }], warnings };
}

function encodeLocker(functionName: "collect" | "settle" | "payOwed", args: readonly unknown[]): Hex {
  return encodeCall({ abi: feeLockerAbi, functionName, args } as never);
}

function createFailedWarning(stage: ClaimCall["stage"], asset: Hex, splitter: Hex): Warning {
  const what = stage === "release" ? `The release of ${asset} by the splitter ${splitter}` : `The ${stage} of ${asset}`;
  return { code: "claim_failed", message: `${what} fails at this block and is left out.` };
}
