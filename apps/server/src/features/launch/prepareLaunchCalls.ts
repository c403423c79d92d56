import { SlipwayError } from "@slipway/protocol/errors";
import type { LaunchCallsResult } from "@slipway/protocol/launchCalls";
import type { Manifest } from "@slipway/protocol/manifest";
import type { Hex } from "viem";
import { type Head, type ProvenManifest, readBalance, readHead } from "../../chain/readChain.ts";
import type { Deps } from "../../deps.ts";
import { createContentWarnings, createHandleWarnings, createOptionWarnings } from "../../transactions/draftWarnings.ts";
import { assertMadeSplitter } from "../../transactions/madeSplitter.ts";
import { findLatestEthUsd, type StoredDraft } from "../../transactions/queries.ts";
import { requireLaunchableDraft } from "../../transactions/requireLaunchableDraft.ts";
import { type BatchSimulation, type Call, simulateBatch } from "../../transactions/simulate.ts";
import { createReadyBatch, readL1Gas, unwrapSettled } from "../../transactions/unsignedResult.ts";
import { assertLaunchEffects } from "./assertLaunchEffects.ts";
import { checkLaunchOptions, requireFitOptions } from "./checkLaunchOptions.ts";
import {
  assertSignedDigest,
  type OfferedAuthorization,
  offerAuthorization,
  requireLastingAuthorization,
} from "./launchAuthorization.ts";
import { findFactorySplitter, findNamedSplitter, type LaunchSplitter, type NamedSplitter } from "./launchSplitter.ts";
import { createLaunchCall, createLaunchTerms, getCreator, type LaunchAuthorization } from "./launchTerms.ts";
import { assertPredicted, createExpected, createLaunchedWarnings, requireValue } from "./prepareLaunch.ts";

/** A validated request; addresses are checksummed. */
export type LaunchCallsOrder = {
  wallet: Hex;
  /** Null: the one that the factory makes for the draft. */
  splitter: Hex | null;
  salt: Hex;
  authorization: LaunchAuthorization | null;
};

/**
 * Prepares the launch of a draft as one batch of calls: the splitter by the factory where it is not made yet, then the
 * launch. Where the draft's creator is another account than the wallet, `launchFor` with the creator's authorization;
 * without one the answer is what the creator has to sign, of a launch that was simulated as the creator's own. Two round
 * trips: the head with the splitter; the simulation of the whole batch with the splitter's proof.
 *
 * @param launchedBefore - Tokens that this draft was launched as before.
 * @throws SlipwayError `chain_mismatch`, `fee_tier_not_launchable`, `recipients_required`, `invalid_fields`,
 * `address_checksum`, `recipient_cannot_receive`, `splitter_not_deployed`, `splitter_mismatch`, `signature_invalid`,
 * `quote_expired`, `insufficient_balance`, `pool_taken`, `salt_taken`, `simulation_reverted`, `manifest_unverified`,
 * `chain_unavailable`.
 */
export async function prepareLaunchCalls(
  deps: Pick<Deps, "chain" | "db">,
  proven: ProvenManifest,
  draft: StoredDraft,
  order: LaunchCallsOrder,
  launchedBefore: readonly string[],
  requestId: string,
): Promise<LaunchCallsResult> {
  const { manifest } = proven;
  const { wallet, authorization } = order;
  requireLaunchableDraft(draft, manifest);
  const creator = getCreator(draft, wallet);
  const isOwn = creator === wallet;
  if (isOwn && authorization !== null) {
    const message = "The wallet is the launch's creator, which sends its own launch: leave the authorization out.";
    throw new SlipwayError("invalid_fields", message, { field: "authorization" });
  }

  const [head, splitter, ethUsd, [contentWarnings]] = await Promise.all([
    readHead(deps.chain, manifest.chain_id),
    order.splitter === null
      ? findFactorySplitter(deps.chain, proven, draft, wallet)
      : awaitFound(findNamedSplitter(deps.chain, proven, draft, order.splitter)),
    findLatestEthUsd(deps.db.read),
    createContentWarnings(deps.db.api, [draft.intent]),
  ]);
  if (authorization !== null) requireLastingAuthorization(authorization, head);
  const { terms, predicted } = createLaunchTerms(manifest, draft, {
    creator,
    splitter: splitter.address,
    salt: order.salt,
  });
  requireFitOptions(terms, predicted, manifest);
  const offered = isOwn || authorization !== null ? null : offerAuthorization(terms, manifest, head);

  // In one round trip; a head that was replaced takes precedence over an error of the splitter, and this over an error of
  // the simulation.
  const factory = manifest.current.launch_factory.address as Hex;
  const launch = createLaunchCall(terms, factory, authorization === null ? null : { wallet, authorization });
  const [verified, optionWarnings, simulated, read] = await Promise.allSettled([
    splitter.verify(head),
    checkLaunchOptions(deps.chain, manifest, terms, head),
    simulateLaunch(deps.chain, manifest, splitter, launch, offered, head),
    readBalance(deps.chain, wallet, head),
  ]);
  const nativeBalance = unwrapSettled(read);
  const payoutWarnings = unwrapSettled(verified);
  const namedWarnings = unwrapSettled(optionWarnings);
  if (offered === null) requireValue(terms, nativeBalance);
  const { calls, simulation, l1Gas } = unwrapSettled(simulated);
  if (splitter.makeCall !== null) assertMadeSplitter(simulation.returnDataByCall[0]!, splitter.address);
  assertPredicted(simulation, predicted);
  if (offered !== null) assertSignedDigest(offered, simulation.readData[0]!);
  const payer = launch.from;
  assertLaunchEffects(simulation.assetChanges, terms, { payer, factory, token: predicted.token });

  const isSigned = authorization !== null;
  const ready = createReadyBatch({
    action: "launch",
    proven,
    head,
    requestId,
    calls,
    simulation,
    l1Gas,
    nativeBalance,
    ethUsd,
    step: {
      index: isSigned ? 2 : 1,
      total: isOwn ? 1 : 2,
      description: describeStep(splitter, offered),
    },
    next: describeNextStep(calls.length, predicted.token, offered),
    warnings: [
      ...createLaunchedWarnings(launchedBefore),
      ...payoutWarnings,
      ...contentWarnings!,
      ...createHandleWarnings(draft.labels),
      ...createOptionWarnings(draft),
      ...namedWarnings,
    ],
    expected: createExpected(terms, predicted),
  });
  if (offered === null) return { ...ready, status: "ready", typed_data: null };
  return { ...ready, status: "signature_required", transaction: null, calls: [], typed_data: offered.typedData };
}

async function awaitFound(splitter: NamedSplitter): Promise<LaunchSplitter> {
  await splitter.found;
  return splitter;
}

type SimulatedLaunch = { calls: (Call & { to: Hex })[]; simulation: BatchSimulation; l1Gas: (bigint | null)[] };

/**
 * Simulates the batch in one round trip. Before there is an authorization the launch is the creator's own, which moves the
 * same, with the value that the wallet will pay.
 *
 * @throws SlipwayError as `simulateBatch`; `signature_invalid` names its field.
 */
async function simulateLaunch(
  chain: Deps["chain"],
  manifest: Manifest,
  { makeCall }: LaunchSplitter,
  launch: Call & { to: Hex },
  offered: OfferedAuthorization | null,
  head: Head,
): Promise<SimulatedLaunch> {
  const calls = makeCall === null ? [launch] : [makeCall, launch];
  const reads = offered === null ? [] : [offered.digestRead];
  const balances = offered === null || launch.value === 0n ? {} : { [launch.from]: launch.value };
  const [simulation, l1Gas] = await Promise.all([
    simulateBatch(chain, calls, reads, head, balances),
    Promise.all(calls.map((call) => readL1Gas(chain, manifest.chain_id, call, head))),
  ]).catch((error: unknown) => {
    if (!(error instanceof SlipwayError) || error.code !== "signature_invalid") throw error;
    const message =
      "The signature is not the creator's over this launch: draft, options, splitter, salt and deadline must be those " +
      "that were given to sign.";
    throw new SlipwayError("signature_invalid", message, {
      field: "authorization.signature",
      cause: error,
      ...(error.details === undefined ? {} : { details: error.details }),
    });
  });
  return { calls, simulation, l1Gas };
}

function describeStep({ makeCall }: LaunchSplitter, offered: OfferedAuthorization | null): string {
  if (offered !== null) return "Let the creator sign the launch";
  const launch = "the token with its pool and the locked position";
  return makeCall === null
    ? `Launch ${launch}`
    : `Make the splitter that pays the draft's recipients, and launch ${launch}`;
}

function describeNextStep(calls: number, token: Hex, offered: OfferedAuthorization | null): string {
  if (offered !== null) {
    return "Let the creator sign typed_data, and POST /launch/calls again with its deadline and the signature as authorization";
  }
  const read = `GET /tokens/${token}, after the receipt`;
  if (calls === 1) return read;
  return `Send calls as one atomic batch (wallet_sendCalls), or one after the other; then ${read}`;
}
