import { SlipwayError } from "@slipway/protocol/errors";
import { getRecipients, toAllocations } from "@slipway/protocol/intent";
import { sameAllocations } from "@slipway/protocol/splitter";
import type { Warning } from "@slipway/protocol/transaction";
import type { Hex } from "viem";
import { assertSameCode } from "../../chain/readAtEndpoints.ts";
import type { HeadBlock } from "../../chain/readChain.ts";
import { awaitChain } from "../../chain/rpcError.ts";
import {
  findSplitterCreation,
  readIsFactoryMade,
  type SplitterCreation,
  verifyFactoryMade,
  verifyRememberedSplitter,
  verifySplitterDeployment,
} from "../../chain/verifySplitterDeployment.ts";
import { checkPayoutCode, findPayoutsWithCode } from "../../transactions/checkPayouts.ts";
import { createMakeSplitterCall, isSplitterMade, predictMadeSplitter } from "../../transactions/madeSplitter.ts";
import { type Context, readBesideHead, type StateRead, type TargetedCall } from "../../transactions/preparation.ts";
import type { LaunchOrder } from "./launchOrder.ts";

/**
 * The state of a launch's splitter at the newest block. For a named splitter: its creation. Otherwise: whether the
 * factory has made the draft's splitter, and which payout addresses have code. Null if only the block is needed: for a
 * named splitter at the factory's address, or one whose creation this process has already found.
 */
export type SplitterState = { creation: SplitterCreation } | FactoryState | null;
type FactoryState = { isMade: boolean; payoutsWithCode: Set<Hex> };

/** Reads the state of a launch's splitter. */
export function readSplitter(context: Context<LaunchOrder>): StateRead<SplitterState> | null {
  const { chain, proven, manifest, order } = context;
  const { address, isNamed, isOfFactory, creationHash } = order.splitter;
  if (!isNamed) return readBesideHead(context, () => requestFactoryState(context));
  if (creationHash !== null || isOfFactory) return null;
  return readBesideHead(context, () => ({
    creation: findSplitterCreation(chain, address, manifest.current, proven.verifiedAtBlock),
  }));
}

/** Requests the state of the splitter that the factory makes for the draft. */
export function requestFactoryState({ chain, manifest, order }: Context<LaunchOrder>) {
  const factory = manifest.current.splitter_factory.address as Hex;
  return {
    isMade: awaitChain(readIsFactoryMade(chain, factory, order.splitter.address, "latest")),
    payoutsWithCode: findPayoutsWithCode(chain, getRecipients(order.draft.intent, order.terms.creator)),
  };
}

/** Creates the call that makes the splitter before the launch; null if the splitter exists. */
export function createMakeCall({ manifest, order }: Context<LaunchOrder>, state: SplitterState): TargetedCall | null {
  if (state === null || "creation" in state || state.isMade) return null;
  const allocations = toAllocations(order.draft.intent, order.terms.creator);
  return createMakeSplitterCall(manifest, order.draft.id, allocations, order.wallet);
}

/**
 * Verifies the splitter at the block: an existing splitter must have exactly the draft's allocations and a proven
 * creation. The simulation proves the address of a splitter that the batch makes.
 *
 * @returns Warnings about the payees.
 * @throws SlipwayError `splitter_not_deployed`, `splitter_mismatch`, `recipient_cannot_receive`, `manifest_unverified`,
 * `chain_unavailable`.
 */
export async function verifySplitter(
  context: Context<LaunchOrder>,
  state: SplitterState,
  block: HeadBlock,
): Promise<Warning[]> {
  if (state !== null && "isMade" in state) return await verifyFactorySplitter(context, state, block);
  const allocations = toAllocations(context.order.draft.intent, context.order.terms.creator);
  const [named] = await Promise.all([
    verifyNamedSplitter(context, state, block),
    // One endpoint could otherwise show the code of this splitter at the address of another one of the creator.
    assertSameCode(context.chain, context.order.splitter.address, block),
  ]);
  if (sameAllocations(named, allocations)) return [];
  throw new SlipwayError("splitter_mismatch", "The splitter's allocations are not exactly the draft's recipients.", {
    field: "splitter",
  });
}

async function verifyNamedSplitter(
  { chain, proven, order }: Context<LaunchOrder>,
  state: Exclude<SplitterState, FactoryState>,
  block: HeadBlock,
) {
  const { current } = proven.manifest;
  const { address, creationHash } = order.splitter;
  if (state !== null) return await verifySplitterDeployment(chain, address, state.creation, current, block);
  if (creationHash === null) return await verifyFactoryMade(chain, address, current, block);
  return await verifyRememberedSplitter(chain, address, creationHash, current, proven.verifiedAtBlock, block);
}

/**
 * Verifies the factory's splitter. Any account may have made it: its address commits to the draft and its allocations.
 */
async function verifyFactorySplitter(
  context: Context<LaunchOrder>,
  { isMade, payoutsWithCode }: FactoryState,
  block: HeadBlock,
): Promise<Warning[]> {
  const { chain, manifest, order } = context;
  const { id, intent } = order.draft;
  const { creator } = order.terms;
  const made = predictMadeSplitter(manifest, id, toAllocations(intent, creator));
  const [warnings, isMadeAtBlock] = await Promise.all([
    checkPayoutCode(chain, getRecipients(intent, creator), payoutsWithCode, manifest, block),
    isSplitterMade(chain, manifest, made, block),
  ]);
  // If the splitter was made meanwhile, the factory's call does nothing. Without the call, the splitter must exist.
  if (isMadeAtBlock || !isMade) return warnings;
  throw new SlipwayError("chain_unavailable", "The draft's splitter was made just now; repeat the request.");
}
