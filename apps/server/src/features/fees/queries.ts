import { feeLockerAbi } from "@slipway/protocol/contracts/feeLocker";
import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { SlipwayError } from "@slipway/protocol/errors";
import type { LaunchDeployment } from "@slipway/protocol/manifest";
import type { Allocation } from "@slipway/protocol/splitter";
import { type Hex, zeroAddress } from "viem";
import type { Chain } from "../../chain/chain.ts";
import {
  type HeadBlock,
  type ProvenManifest,
  readContracts,
  readHead,
  tryReadContracts,
} from "../../chain/readChain.ts";
import {
  findSplitterCreation,
  type SplitterCreation,
  verifySplitterDeployment,
} from "../../chain/verifySplitterDeployment.ts";
import type { Deps } from "../../deps.ts";
import type { SupportedLaunch } from "../../transactions/launches.ts";
import type { IndexedLaunch } from "../../transactions/launchQueries.ts";
import { type Context, readBesideHead, type StateRead } from "../../transactions/preparation.ts";

/**
 * Returns the payees of a launch's splitter from the index; null while the index has not verified the splitter.
 *
 * @throws SlipwayError `splitter_mismatch` when the launch names another contract.
 */
export function getIndexedAllocations({ splitter, allocations }: IndexedLaunch): Allocation[] | null {
  if (allocations !== "refuted") return allocations;
  throw new SlipwayError("splitter_mismatch", "This launch pays a contract that is not a proven splitter.", {
    details: { splitter },
  });
}

/** The creation of a splitter that the index has not verified yet; null for a verified splitter. */
export type PayeesState = { creation: SplitterCreation } | null;

/** Finds the creation of a launch's splitter. One round trip. */
export async function findCreation(
  chain: Chain,
  proven: ProvenManifest,
  { launch, deployment }: SupportedLaunch,
): Promise<{ creation: SplitterCreation }> {
  return { creation: await findSplitterCreation(chain, launch.splitter, deployment, proven.verifiedAtBlock) };
}

/**
 * Reads the state that `verifyPayees` needs for a launch's splitter; null if the index has verified the splitter.
 *
 * @throws SlipwayError `splitter_mismatch` when the launch names another contract.
 */
export function readPayees(
  context: Context<unknown>,
  { launch, deployment }: SupportedLaunch,
): StateRead<PayeesState> | null {
  if (getIndexedAllocations(launch) !== null) return null;
  const { chain, proven } = context;
  return readBesideHead(context, () => ({
    creation: findSplitterCreation(chain, launch.splitter, deployment, proven.verifiedAtBlock),
  }));
}

/** Returns the payees of a launch's splitter; verifies the splitter at the block if the index has not verified it. */
export async function verifyPayees(
  { chain }: Context<unknown>,
  { launch, deployment }: SupportedLaunch,
  state: PayeesState,
  block: HeadBlock,
): Promise<readonly Allocation[]> {
  if (state === null) return getIndexedAllocations(launch) ?? [];
  return await verifySplitterDeployment(chain, launch.splitter, state.creation, deployment, block);
}

/**
 * Loads the payees of a launch's splitter: from the index if the index has verified the splitter, else from the chain
 * with a verification in two round trips.
 *
 * @throws SlipwayError `splitter_mismatch` when the launch names another contract, `manifest_unverified`,
 * `chain_unavailable`.
 */
export async function loadAllocations(
  chain: Deps["chain"],
  { launch, deployment }: SupportedLaunch,
  proven: ProvenManifest,
): Promise<Allocation[]> {
  const indexed = getIndexedAllocations(launch);
  if (indexed !== null) return indexed;
  const [head, creation] = await Promise.all([
    readHead(chain, proven.manifest.chain_id),
    findSplitterCreation(chain, launch.splitter, deployment, proven.verifiedAtBlock),
  ]);
  return await verifySplitterDeployment(chain, launch.splitter, creation, deployment, head);
}

/**
 * Reads the payouts of a proven splitter's payees at the head; null is the payee itself. One round trip.
 *
 * @throws SlipwayError `chain_unavailable`.
 */
export async function readPayouts(
  chain: Deps["chain"],
  splitter: Hex,
  payees: readonly Hex[],
  head: HeadBlock,
  multicall3: Hex | null,
): Promise<(Hex | null)[]> {
  const reads = payees.map(
    (payee) => ({ address: splitter, abi: feeSplitterAbi, functionName: "payoutOf", args: [payee] }) as const,
  );
  const answers = await tryReadContracts(chain, head.number, reads, multicall3);
  return answers.map(({ status, result }) => (status === "success" && result !== zeroAddress ? result : null));
}

/**
 * Reads the amounts by asset that a launch's locker owes to a party, at the head. One round trip.
 *
 * @throws SlipwayError `chain_unavailable`.
 */
export async function readOwed(
  chain: Deps["chain"],
  deployment: LaunchDeployment,
  party: Hex,
  assets: readonly Hex[],
  head: HeadBlock,
  multicall3: Hex | null,
): Promise<bigint[]> {
  const locker = { address: deployment.fee_locker.address as Hex, abi: feeLockerAbi } as const;
  const reads = assets.map((asset) => ({ ...locker, functionName: "owed", args: [asset, party] }) as const);
  return await readContracts(chain, head.number, reads, multicall3);
}
