import { draftCommitment } from "@slipway/protocol/draftCommitment";
import { contractUri } from "@slipway/protocol/metadataDocument";
import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { launchTokenCreationCode } from "@slipway/protocol/contracts/launchTokenCreationCode";
import { SlipwayError } from "@slipway/protocol/errors";
import { type LaunchParams, launchAddress } from "@slipway/protocol/launchAddress";
import type { Manifest } from "@slipway/protocol/manifest";
import { sameAllocations } from "@slipway/protocol/splitter";
import type { UnsignedResult, Warning } from "@slipway/protocol/transaction";
import { decodeFunctionResult, encodeFunctionData, type Hex, keccak256, zeroAddress } from "viem";
import { toAllocations } from "@slipway/protocol/intent";
import { readL1Gas, createReadyResult, unwrapSettled } from "../../transactions/unsignedResult.ts";
import { findSplitterCreation, verifySplitterDeployment } from "../../chain/verifySplitterDeployment.ts";
import { type ProvenManifest, readAccount, readHead } from "../../chain/readChain.ts";
import { requireLaunchableDraft } from "../../transactions/requireLaunchableDraft.ts";
import { type Simulation, simulate } from "../../transactions/simulate.ts";
import { createContentWarnings, createHandleWarnings } from "../../transactions/draftWarnings.ts";
import { findLatestEthUsd, type StoredDraft } from "../../transactions/queries.ts";
import type { Deps } from "../../deps.ts";

/** A validated request; addresses are checksummed. */
export type LaunchOrder = { wallet: Hex; splitter: Hex; salt: Hex };

const noBuy = { recipient: zeroAddress, minimumOut: 0n };

/**
 * Prepares the launch of a draft. Three round trips: the head; the splitter's creation; its verification and the
 * simulation.
 *
 * @param launchedBefore - Tokens that this draft was launched as before.
 * @throws SlipwayError `chain_mismatch`, `fee_tier_not_launchable`, `recipients_required`, `splitter_not_deployed`,
 * `splitter_mismatch`, `pool_taken`, `salt_taken`, `simulation_reverted`, `manifest_unverified`, `chain_unavailable`.
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
  const { current } = manifest;
  requireLaunchableDraft(draft.intent, manifest);
  const params = toLaunchParams(draft, order);
  const predicted = predictAddresses(manifest, order.wallet, params);
  const call = {
    from: order.wallet,
    to: current.launch_factory.address as Hex,
    data: encodeFunctionData({ abi: launchFactoryAbi, functionName: "launch", args: [params, noBuy] }),
    value: 0n,
  };

  const [head, ethUsd, [contentWarnings]] = await Promise.all([
    readHead(deps.chain, manifest.chain_id),
    findLatestEthUsd(deps.db.read),
    createContentWarnings(deps.db.api, [draft.intent]),
  ]);
  const [creation, account] = await Promise.all([
    findSplitterCreation(deps.chain, order.splitter, current, head),
    readAccount(deps.chain, order.wallet, head),
  ]);
  // In one round trip; an error of the splitter takes precedence over an error of the simulation.
  const [verified, simulated, l1] = await Promise.allSettled([
    verifySplitterDeployment(deps.chain, order.splitter, creation, current),
    simulate(deps.chain, call, head),
    readL1Gas(deps.chain, manifest.chain_id, call, head),
  ]);
  if (!sameAllocations(unwrapSettled(verified), toAllocations(draft.intent))) {
    throw new SlipwayError("splitter_mismatch", "The splitter's allocations are not exactly the draft's recipients.", {
      field: "splitter",
    });
  }
  const simulation = unwrapSettled(simulated);
  assertPredicted(simulation, predicted);

  return createReadyResult({
    action: "launch",
    proven,
    head,
    requestId,
    call,
    simulation,
    l1Gas: unwrapSettled(l1),
    nativeBalance: account.nativeBalance,
    ethUsd,
    step: { index: 2, total: 2, description: "Launch the token with its pool and the locked position" },
    next: `GET /tokens/${predicted.token}, after the receipt`,
    warnings: [...createLaunchedWarnings(launchedBefore), ...contentWarnings!, ...createHandleWarnings(draft.labels)],
    expected: { ...predicted, splitter: order.splitter },
  });
}

function toLaunchParams({ id, intent }: StoredDraft, { wallet, splitter, salt }: LaunchOrder): LaunchParams {
  return {
    name: intent.name,
    symbol: intent.symbol,
    contractURI: contractUri(intent, draftCommitment({ draftId: id, intent, creator: wallet })),
    splitter,
    salt,
    partner: zeroAddress,
    partnerShareBps: 0,
  };
}

function predictAddresses(manifest: Manifest, creator: Hex, params: LaunchParams): { token: Hex; pool: Hex } {
  if (keccak256(launchTokenCreationCode) !== manifest.current.launch_token.creation_code_hash.toLowerCase()) {
    throw new SlipwayError("manifest_unverified", "The manifest pins another token than ships with this service.");
  }
  return launchAddress(
    {
      launchFactory: manifest.current.launch_factory.address as Hex,
      feeLocker: manifest.current.fee_locker.address as Hex,
      uniswapFactory: manifest.uniswap.factory.address as Hex,
      poolInitCodeHash: manifest.uniswap.pool_init_code_hash as Hex,
      wrappedNative: manifest.wrapped_native.address as Hex,
      tokenCreationCode: launchTokenCreationCode,
    },
    creator,
    params,
  );
}

/** Asserts that the simulation returns the predicted addresses: others mean other code on the chain. */
function assertPredicted(simulation: Simulation, predicted: { token: Hex; pool: Hex }): void {
  const [token, pool] = decodeFunctionResult({
    abi: launchFactoryAbi,
    functionName: "launch",
    data: simulation.returnData,
  });
  if (token === predicted.token && pool === predicted.pool) return;
  throw new SlipwayError("manifest_unverified", "The chain's factory does not give the predicted addresses.");
}

function createLaunchedWarnings(tokens: readonly string[]): Warning[] {
  if (tokens.length === 0) return [];
  return [{ code: "already_launched", message: `This draft was launched before, as ${tokens.join(", ")}.` }];
}
