import { SlipwayError } from "@slipway/protocol/errors";
import { toAllocations } from "@slipway/protocol/intent";
import { sameAllocations } from "@slipway/protocol/splitter";
import type { Warning } from "@slipway/protocol/transaction";
import type { Hex } from "viem";
import type { Chain } from "../../chain/chain.ts";
import type { HeadBlock, ProvenManifest } from "../../chain/readChain.ts";
import { awaitChain } from "../../chain/rpcError.ts";
import {
  findSplitterCreation,
  readIsFactoryMade,
  verifyFactoryMade,
  verifyRememberedSplitter,
  verifySplitterDeployment,
} from "../../chain/verifySplitterDeployment.ts";
import { checkPayoutCode, findPayoutsWithCode, requireValidPayouts } from "../../transactions/checkPayouts.ts";
import { createMakeSplitterCall, isSplitterMade, predictMadeSplitter } from "../../transactions/madeSplitter.ts";
import type { StoredDraft } from "../../transactions/queries.ts";
import type { Call } from "../../transactions/simulate.ts";

/** The splitter of a launch, as the newest block has it. */
export type LaunchSplitter = {
  address: Hex;
  /** The call that makes it in front of the launch; null where it exists. */
  makeCall: (Call & { to: Hex }) | null;
  /**
   * Verifies it at the head, in the round of the simulation: a splitter that exists has exactly the draft's allocations
   * and a proven creation. Of one that is made by the batch, the simulation proves the address.
   *
   * @returns warnings about its payees.
   * @throws SlipwayError `splitter_not_deployed`, `splitter_mismatch`, `recipient_cannot_receive`, `manifest_unverified`,
   * `chain_unavailable`.
   */
  verify(head: HeadBlock): Promise<Warning[]>;
};

/** A splitter that the caller names, before its creation is found. */
export type NamedSplitter = LaunchSplitter & {
  /** What `verify` awaits: its creation, in one round trip; null where the factory made it, or it was found before. */
  found: Promise<unknown> | null;
};

/** Finds a splitter that the caller names. */
export function findNamedSplitter(
  chain: Pick<Chain, "request" | "splitterCreations">,
  { manifest, verifiedAtBlock }: ProvenManifest,
  draft: StoredDraft,
  address: Hex,
): NamedSplitter {
  const allocations = toAllocations(draft.intent);
  const { current } = manifest;
  // The factory's address for the draft: nothing but its record proves what is there (CREATE2).
  const isOfFactory = predictMadeSplitter(manifest, draft.id, allocations).address === address;
  const remembered = isOfFactory ? undefined : chain.splitterCreations.get(address);
  const isFindable = isOfFactory || remembered !== undefined;
  const found = isFindable ? null : findSplitterCreation(chain, address, current, verifiedAtBlock);
  const verifyAllocations = async (head: HeadBlock) => {
    if (found !== null) return await verifySplitterDeployment(chain, address, await found, current, head);
    if (remembered === undefined) return await verifyFactoryMade(chain, address, current, head);
    return await verifyRememberedSplitter(chain, address, remembered, current, verifiedAtBlock, head);
  };
  const verify = async (head: HeadBlock): Promise<Warning[]> => {
    const verified = await verifyAllocations(head);
    if (sameAllocations(verified, allocations)) return [];
    throw new SlipwayError("splitter_mismatch", "The splitter's allocations are not exactly the draft's recipients.", {
      field: "splitter",
    });
  };
  return { address, makeCall: null, found, verify };
}

/**
 * Finds the splitter that the factory makes for a draft. One round trip, which can be that of the head. Where anyone has
 * made it already, it is the draft's all the same: its address commits to the draft and its allocations.
 *
 * @throws SlipwayError `address_checksum`, `recipient_cannot_receive`, `chain_unavailable`.
 */
export async function findFactorySplitter(
  chain: Pick<Chain, "request" | "client">,
  { manifest }: ProvenManifest,
  draft: StoredDraft,
  wallet: Hex,
): Promise<LaunchSplitter> {
  const recipients = draft.intent.recipients ?? [];
  requireValidPayouts(recipients, manifest);
  const allocations = toAllocations(draft.intent);
  const made = predictMadeSplitter(manifest, draft.id, allocations);
  const factory = manifest.current.splitter_factory.address as Hex;
  const [isMade, payoutsWithCode] = await Promise.all([
    awaitChain(readIsFactoryMade(chain, factory, made.address, "latest")),
    findPayoutsWithCode(chain, recipients),
  ]);
  const verify = async (head: HeadBlock): Promise<Warning[]> => {
    const [warnings, isMadeAtHead] = await Promise.all([
      checkPayoutCode(chain, recipients, payoutsWithCode, manifest, head),
      isSplitterMade(chain, manifest, made, head),
    ]);
    // The factory's call does nothing where the splitter was made meanwhile; without it there must be one.
    if (isMadeAtHead || !isMade) return warnings;
    throw new SlipwayError("chain_unavailable", "The draft's splitter was made just now; ask again.");
  };
  const makeCall = isMade ? null : createMakeSplitterCall(manifest, draft.id, allocations, wallet);
  return { address: made.address, makeCall, verify };
}
