import { feeLockerAbi } from "@slipway/protocol/contracts/feeLocker";
import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { SlipwayError } from "@slipway/protocol/errors";
import type { LaunchDeployment } from "@slipway/protocol/manifest";
import type { ClaimRequest, UnsignedResult } from "@slipway/protocol/transaction";
import { decodeFunctionResult, encodeFunctionData, type Hex, zeroAddress } from "viem";
import { type Head, type ProvenManifest, readAccount, readContracts, readHead } from "../../chain/readChain.ts";
import type { Deps } from "../../deps.ts";
import { findLatestEthUsd, type IndexedLaunch, loadSupportedLaunch } from "../../transactions/queries.ts";
import { simulate, type Simulation } from "../../transactions/simulate.ts";
import {
  createNothingToDoResult,
  readL1Gas,
  createReadyResult,
  unwrapSettled,
} from "../../transactions/unsignedResult.ts";
import { loadSplitterAllocations } from "./queries.ts";

/** A validated request; addresses are checksummed. */
export type ClaimOrder = Pick<ClaimRequest, "stage"> & { token: Hex; wallet: Hex; asset?: Hex; recipient: Hex };

/**
 * Prepares one stage of a fee payout. Any wallet may send it; the launch determines the payees. Two round trips: the
 * head; the stage's reads and its simulation. A third one where the index has not verified the splitter yet.
 *
 * @throws SlipwayError `pool_not_supported`, `invalid_fields`, `splitter_mismatch`, `not_recipient`,
 * `simulation_reverted`, `manifest_unverified`, `chain_unavailable`.
 */
export async function prepareClaim(
  deps: Pick<Deps, "chain" | "db">,
  proven: ProvenManifest,
  order: ClaimOrder,
  requestId: string,
): Promise<UnsignedResult> {
  const { manifest } = proven;
  const { launch, deployment } = await loadSupportedLaunch(deps.db.read, order.token, manifest);
  const assets = selectAssets(launch, order.asset);
  const [head, ethUsd] = await Promise.all([readHead(deps.chain, manifest.chain_id), findLatestEthUsd(deps.db.read)]);
  const call = { from: order.wallet, ...encodeStageCall(order.stage, launch, assets, order.recipient), value: 0n };
  // In one round trip; an error of the recipient takes precedence over an error of the simulation.
  const [checked, simulated, l1, read, credited] = await Promise.allSettled([
    order.stage === "release" ? checkRecipient(deps, launch, deployment, order.recipient, head) : Promise.resolve(),
    simulate(deps.chain, call, head),
    readL1Gas(deps.chain, manifest.chain_id, call, head),
    readAccount(deps.chain, order.wallet, head),
    order.stage === "settle" ? readCredits(deps.chain, launch, assets, head) : Promise.resolve([]),
  ]);
  unwrapSettled(checked);
  const simulation = unwrapSettled(simulated);
  const amounts = getStageAmounts(order, launch, assets, simulation, unwrapSettled(credited)).filter(
    ({ amount }) => amount > 0n,
  );
  const shared = {
    action: order.stage,
    proven,
    head,
    requestId,
    ...stageSteps[order.stage],
    simulation,
    expected: { amounts: amounts.map(({ asset, to, amount }) => ({ asset, to, amount: amount.toString() })) },
  };
  if (amounts.length === 0) return createNothingToDoResult(shared);
  return createReadyResult({
    ...shared,
    call,
    l1Gas: unwrapSettled(l1),
    ethUsd,
    nativeBalance: unwrapSettled(read).nativeBalance,
  });
}

/** @throws SlipwayError `splitter_mismatch` for an unverified splitter, `not_recipient`. */
async function checkRecipient(
  deps: Pick<Deps, "chain" | "db">,
  launch: IndexedLaunch,
  deployment: LaunchDeployment,
  recipient: Hex,
  head: Head,
): Promise<void> {
  const allocations = await loadSplitterAllocations(deps, launch.splitter, deployment, head);
  if (allocations.some(({ payee }) => payee === recipient)) return;
  throw new SlipwayError("not_recipient", undefined, { field: "recipient" });
}

/** Selects the requested asset, or both assets of the launch, the token first. */
function selectAssets(launch: IndexedLaunch, asset: Hex | undefined): Hex[] {
  const both = [launch.token, launch.quoteToken];
  if (asset === undefined) return both;
  if (both.includes(asset)) return [asset];
  throw new SlipwayError("invalid_fields", "asset: must be the launch token or the wrapped native asset", {
    field: "asset",
  });
}

function getStageAmounts(
  order: ClaimOrder,
  launch: IndexedLaunch,
  assets: readonly Hex[],
  simulation: Simulation,
  credits: FeeAmount[],
): FeeAmount[] {
  switch (order.stage) {
    case "collect":
      return decodeCollectedAmounts(launch, simulation);
    case "settle":
      return credits;
    case "release":
      return decodeReleasedAmounts(assets, order.recipient, simulation);
  }
}

/**
 * Reads the amounts that settling pays: the credits of a launch at the locker. One round trip.
 *
 * @throws SlipwayError `chain_unavailable`.
 */
async function readCredits(
  chain: Deps["chain"],
  launch: IndexedLaunch,
  assets: readonly Hex[],
  head: Head,
): Promise<FeeAmount[]> {
  const locker = { address: launch.feeLocker, abi: feeLockerAbi } as const;
  const [[treasury, position], ledgers] = await Promise.all([
    readContracts(chain, head.number, [
      { ...locker, functionName: "treasury" },
      { ...locker, functionName: "positionOf", args: [launch.token] },
    ]),
    readContracts(
      chain,
      head.number,
      assets.map((asset) => ({ ...locker, functionName: "ledgerOf", args: [launch.token, asset] }) as const),
    ),
  ]);
  return assets.flatMap((asset, i) => {
    const ledger = ledgers[i]!;
    return [
      { asset, to: position.splitter, amount: ledger.collaboratorsCredit },
      { asset, to: treasury, amount: ledger.protocolCredit },
      ...(position.partner === zeroAddress ? [] : [{ asset, to: position.partner, amount: ledger.partnerCredit }]),
    ];
  });
}

/** An amount in base units that a stage pays to an address. */
type FeeAmount = { asset: Hex; to: Hex; amount: bigint };

/** The three stages in their order, with the next request after each. */
const stageSteps: Record<ClaimRequest["stage"], { step: UnsignedResult["step"]; next: string | null }> = {
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

/** Encodes the call of a stage. `recipient` is the payee of a release. */
function encodeStageCall(
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

/** Decodes the amounts that a simulated `collect` transfers to the locker. */
function decodeCollectedAmounts(launch: IndexedLaunch, simulation: Simulation): FeeAmount[] {
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

/** Decodes the amounts that a simulated `release` pays. */
function decodeReleasedAmounts(assets: readonly Hex[], recipient: Hex, simulation: Simulation): FeeAmount[] {
  const amounts = decodeFunctionResult({
    abi: feeSplitterAbi,
    functionName: "release",
    data: simulation.returnData,
  });
  return assets.map((asset, i) => ({ asset, to: recipient, amount: amounts[i] ?? 0n }));
}
