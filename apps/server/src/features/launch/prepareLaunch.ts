import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { SlipwayError } from "@slipway/protocol/errors";
import type { UnsignedResult, Warning } from "@slipway/protocol/transaction";
import { decodeFunctionResult, type Hex, zeroAddress } from "viem";
import { atHead } from "../../chain/atHead.ts";
import { type HeadBlock, type ProvenManifest, readBalance } from "../../chain/readChain.ts";
import type { Deps } from "../../deps.ts";
import { createContentWarnings, createHandleWarnings, createOptionWarnings } from "../../transactions/draftWarnings.ts";
import { findLatestEthUsd, type StoredDraft } from "../../transactions/queries.ts";
import { requireLaunchableDraft } from "../../transactions/requireLaunchableDraft.ts";
import { type Simulation, simulate } from "../../transactions/simulate.ts";
import { createReadyResult, readL1Gas, unwrapSettled } from "../../transactions/unsignedResult.ts";
import { assertLaunchEffects } from "./assertLaunchEffects.ts";
import { checkLaunchOptions, requireFitOptions } from "./checkLaunchOptions.ts";
import { findNamedSplitter } from "./launchSplitter.ts";
import {
  createLaunchCall,
  createLaunchTerms,
  getCreator,
  type LaunchTerms,
  type PredictedLaunch,
} from "./launchTerms.ts";

/** A validated request; addresses are checksummed. */
export type LaunchOrder = { wallet: Hex; splitter: Hex; salt: Hex };

/**
 * Prepares the launch of a draft. One round trip, or two (`atHead`); two for a splitter whose creation transaction this
 * process has not found before: the head and the creation; its verification and the simulation. More where it was deployed
 * long ago.
 *
 * @param launchedBefore - Tokens that this draft was launched as before.
 * @throws SlipwayError `chain_mismatch`, `fee_tier_not_launchable`, `recipients_required`, `splitter_not_deployed`,
 * `splitter_mismatch`, `invalid_fields`, `recipient_cannot_receive`, `amount_too_small`, `insufficient_balance`,
 * `pool_taken`, `salt_taken`, `simulation_reverted`, `manifest_unverified`, `chain_unavailable`.
 */
export async function prepareLaunch(
  deps: Pick<Deps, "chain" | "db">,
  proven: ProvenManifest,
  draft: StoredDraft,
  order: LaunchOrder,
  launchedBefore: readonly string[],
  requestId: string,
): Promise<UnsignedResult> {
  const { manifest } = proven;
  requireLaunchableDraft(draft, manifest);
  const creator = getCreator(draft, order.wallet);
  if (creator !== order.wallet) throw createOtherCreator(creator);
  const { terms, predicted } = createLaunchTerms(manifest, draft, { ...order, creator });
  requireFitOptions(terms, predicted, manifest);
  const factory = manifest.current.launch_factory.address as Hex;
  const call = createLaunchCall(terms, factory, null);

  const { found, verify } = findNamedSplitter(deps.chain, proven, draft, order.splitter);
  // In one round trip; a head that was replaced takes precedence over an error of the splitter, and this over an error of
  // the simulation.
  const work = async (block: HeadBlock) =>
    await Promise.allSettled([
      verify(block),
      checkLaunchOptions(deps.chain, manifest, terms, block),
      simulate(deps.chain, call, block),
      readL1Gas(deps.chain, manifest.chain_id, call, block),
      readBalance(deps.chain, order.wallet, block),
    ]);
  const [{ head, result }, ethUsd, [contentWarnings]] = await Promise.all([
    atHead(deps.chain, manifest.chain_id, work, found),
    findLatestEthUsd(deps.db.read),
    createContentWarnings(deps.db.api, [draft.intent]),
  ]);
  const [verified, optionWarnings, simulated, l1, read] = result;
  const nativeBalance = unwrapSettled(read);
  unwrapSettled(verified);
  const warnings = unwrapSettled(optionWarnings);
  requireValue(terms, nativeBalance);
  const simulation = unwrapSettled(simulated);
  assertPredicted(simulation, predicted);
  if (simulation.areAssetChangesKnown) {
    const accounts = { payer: order.wallet, factory, token: predicted.token };
    assertLaunchEffects(simulation.assetChanges, terms, accounts);
  }

  return createReadyResult({
    action: "launch",
    proven,
    head,
    requestId,
    call,
    simulation,
    l1Gas: unwrapSettled(l1),
    nativeBalance,
    ethUsd,
    step: { index: 2, total: 2, description: "Launch the token with its pool and the locked position" },
    next: `GET /tokens/${predicted.token}, after the receipt`,
    warnings: [
      ...createLaunchedWarnings(launchedBefore),
      ...contentWarnings!,
      ...createHandleWarnings(draft.labels),
      ...createOptionWarnings(draft),
      ...warnings,
    ],
    expected: createExpected(terms, predicted),
  });
}

function createOtherCreator(creator: Hex): SlipwayError {
  const message =
    `The draft's creator is ${creator}: send that as wallet, or POST /launch/calls, which prepares a launch that another ` +
    "wallet sends with the creator's signature.";
  return new SlipwayError("invalid_fields", message, { field: "wallet", details: { creator } });
}

/** @throws SlipwayError `insufficient_balance` for a wallet that does not hold the value of the initial buy. */
export function requireValue({ value }: LaunchTerms, available: bigint): void {
  if (available >= value) return;
  throw new SlipwayError("insufficient_balance", "The wallet does not hold what the initial buy spends.", {
    field: "wallet",
    details: { asset: zeroAddress, needed: value.toString(), available: available.toString() },
  });
}

/** What the answer says that the launch will have. */
export function createExpected({ params, buy, value }: LaunchTerms, { token, pool, amountOut }: PredictedLaunch) {
  const bought = { amount_out: amountOut.toString(), minimum_out: buy.minimumOut.toString() };
  return { token, pool, splitter: params.splitter, ...(value === 0n ? {} : bought) };
}

/**
 * Asserts that the simulation returns the predicted addresses, and what the initial buy was computed to yield: others mean
 * other code on the chain.
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

export function createLaunchedWarnings(tokens: readonly string[]): Warning[] {
  if (tokens.length === 0) return [];
  return [{ code: "already_launched", message: `This draft was launched before, as ${tokens.join(", ")}.` }];
}
