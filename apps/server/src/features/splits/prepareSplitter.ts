import { feeSplitterCreationCode } from "@slipway/protocol/contracts/feeSplitterCreationCode";
import { SlipwayError } from "@slipway/protocol/errors";
import { type Manifest, templateRuntimeHash } from "@slipway/protocol/manifest";
import { splitterCreationInput } from "@slipway/protocol/splitter";
import type { UnsignedResult } from "@slipway/protocol/transaction";
import { getContractAddress, type Hex, keccak256 } from "viem";
import { toAllocations } from "@slipway/protocol/intent";
import { readL1Gas, createReadyResult } from "../../transactions/unsignedResult.ts";
import { type ProvenManifest, readAccount, readHead } from "../../chain/readChain.ts";
import { requireLaunchableDraft } from "../../transactions/requireLaunchableDraft.ts";
import { type Simulation, simulate } from "../../transactions/simulate.ts";
import { createContentWarnings, createHandleWarnings } from "../../transactions/draftWarnings.ts";
import { findLatestEthUsd, type StoredDraft } from "../../transactions/queries.ts";
import type { Deps } from "../../deps.ts";
import { checkPayoutCode, requireValidPayouts } from "./checkPayouts.ts";

const step = { index: 1, total: 2, description: "Deploy the splitter that pays the draft's recipients" };

/**
 * Prepares the deployment of a draft's splitter. Two round trips; a third one when a payout address has code.
 *
 * @throws SlipwayError `chain_mismatch`, `fee_tier_not_launchable`, `recipients_required`, `address_checksum`,
 * `recipient_cannot_receive`, `simulation_reverted`, `manifest_unverified`, `chain_unavailable`.
 */
export async function prepareSplitter(
  deps: Pick<Deps, "chain" | "db">,
  proven: ProvenManifest,
  draft: StoredDraft,
  wallet: Hex,
  requestId: string,
): Promise<UnsignedResult> {
  const { manifest } = proven;
  requireLaunchableDraft(draft.intent, manifest);
  const recipients = draft.intent.recipients ?? [];
  requireValidPayouts(recipients, manifest);
  const allocations = toAllocations(draft.intent);
  const [head, ethUsd, [contentWarnings]] = await Promise.all([
    readHead(deps.chain, manifest.chain_id),
    findLatestEthUsd(deps.db.read),
    createContentWarnings(deps.db.api, [draft.intent]),
  ]);
  const call = { from: wallet, data: splitterCreationInput(getPinnedCreationCode(manifest), allocations), value: 0n };
  const [payoutWarnings, account, simulation, l1Gas] = await Promise.all([
    checkPayoutCode(deps, recipients, manifest, head),
    readAccount(deps.chain, wallet, head),
    simulate(deps.chain, call, head),
    readL1Gas(deps.chain, manifest.chain_id, call, head),
  ]);
  const splitter = getContractAddress({ from: wallet, nonce: account.nonce });
  assertSimulatedSplitter(simulation, splitter, manifest);

  return createReadyResult({
    action: "deploy_splitter",
    proven,
    requestId,
    step,
    head,
    call,
    simulation,
    l1Gas,
    ethUsd,
    nativeBalance: account.nativeBalance,
    next: "POST /launch/transactions with this intent_id and expected.splitter, after the receipt",
    warnings: [...payoutWarnings, ...contentWarnings!, ...createHandleWarnings(draft.labels)],
    expected: { splitter, account_nonce: Number(account.nonce) },
  });
}

/** @throws SlipwayError `manifest_unverified` when the manifest pins other code than this service contains. */
function getPinnedCreationCode(manifest: Manifest): Hex {
  if (keccak256(feeSplitterCreationCode) !== manifest.current.fee_splitter.creation_code_hash.toLowerCase()) {
    throw new SlipwayError("manifest_unverified", "The manifest pins another splitter than ships with this service.");
  }
  return feeSplitterCreationCode;
}

/** Asserts that the simulation deploys the pinned runtime code at the predicted address. */
function assertSimulatedSplitter(simulation: Simulation, splitter: Hex, manifest: Manifest): void {
  const { runtime_code_hash, immutable_offsets } = manifest.current.fee_splitter;
  const isPinned = templateRuntimeHash(simulation.returnData, immutable_offsets) === runtime_code_hash.toLowerCase();
  const isAtAddress = simulation.logs.every(({ address }) => address.toLowerCase() === splitter.toLowerCase());
  if (isPinned && isAtAddress) return;
  throw new SlipwayError("manifest_unverified", "The simulation deployed something else than the pinned splitter.");
}
