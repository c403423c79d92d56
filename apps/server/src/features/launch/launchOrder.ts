import { SlipwayError } from "@slipway/protocol/errors";
import { getRecipients, toAllocations } from "@slipway/protocol/intent";
import type { LaunchCallsRequest } from "@slipway/protocol/launchCalls";
import type { Manifest } from "@slipway/protocol/manifest";
import { checksummed } from "@slipway/protocol/primitives";
import type { Warning } from "@slipway/protocol/transaction";
import type { Hex } from "viem";
import type { Chain } from "../../chain/chain.ts";
import { requireValidPayouts } from "../../transactions/checkPayouts.ts";
import { createContentWarnings, createHandleWarnings, createOptionWarnings } from "../../transactions/draftWarnings.ts";
import {
  createLaunchTerms,
  type LaunchAuthorization,
  type LaunchTerms,
  type PredictedLaunch,
} from "../../transactions/launchTerms.ts";
import { predictMadeSplitter } from "../../transactions/madeSplitter.ts";
import type { PreparationDeps } from "../../transactions/preparation.ts";
import { getCreator, type StoredDraft } from "../../transactions/queries.ts";
import { requireLaunchableDraft } from "../../transactions/requireLaunchableDraft.ts";
import { requireFitOptions } from "./checkLaunchOptions.ts";

/** A validated request with its draft, and the launch that both determine; addresses are checksummed. */
export type LaunchOrder = {
  shape: "transaction" | "batch";
  wallet: Hex;
  draft: StoredDraft;
  /** Tokens of earlier launches of this draft. */
  launchedBefore: readonly string[];
  /** The splitter that the request names, or the splitter that the factory makes for the draft. */
  splitter: {
    address: Hex;
    isNamed: boolean;
    /**
     * Whether `address` is the factory's CREATE2 address for the draft; the factory's record then suffices as proof.
     */
    isOfFactory: boolean;
    /** The creation transaction of a named splitter, if this process has already found it. */
    creationHash: Hex | null;
  };
  authorization: LaunchAuthorization | null;
  terms: LaunchTerms;
  predicted: PredictedLaunch;
};

type LaunchRequest = {
  shape: LaunchOrder["shape"];
  draft: StoredDraft;
  launchedBefore: readonly string[];
  body: Pick<LaunchCallsRequest, "wallet" | "salt" | "splitter" | "authorization">;
};

/**
 * Creates the order of a launch, after all checks that need no request to the chain.
 *
 * @throws SlipwayError `chain_mismatch`, `fee_tier_not_launchable`, `recipients_required`, `invalid_fields`,
 * `splitter_mismatch`, `address_checksum`, `recipient_cannot_receive`, `amount_too_small`, `manifest_unverified`.
 */
export function createLaunchOrder(
  chain: Pick<Chain, "splitterCreations">,
  manifest: Manifest,
  { shape, draft, launchedBefore, body }: LaunchRequest,
): LaunchOrder {
  requireLaunchableDraft(draft, manifest);
  const wallet = checksummed(body.wallet);
  const creator = getCreator(draft, wallet);
  const authorization = toAuthorization(body.authorization);
  if (shape === "transaction" && creator !== wallet) throw createOtherCreator(creator);
  if (authorization !== null && creator === wallet) {
    const message = "The wallet is the launch's creator and needs no authorization: omit authorization.";
    throw new SlipwayError("invalid_fields", message, { field: "authorization" });
  }
  const splitter = selectSplitter(chain, manifest, draft, { creator, named: body.splitter });
  if (creator !== wallet && !splitter.isOfFactory) throw createOtherSplitter(splitter.address);
  const terms = createLaunchTerms(manifest, draft, {
    creator,
    splitter: splitter.address,
    salt: body.salt.toLowerCase() as Hex,
  });
  requireFitOptions(terms.terms, terms.predicted, manifest);
  return { shape, wallet, draft, launchedBefore, splitter, authorization, ...terms };
}

function toAuthorization(authorization: LaunchRequest["body"]["authorization"]): LaunchAuthorization | null {
  if (!authorization) return null;
  const { deadline, signature, epoch } = authorization;
  return {
    deadline: BigInt(deadline),
    signature: signature.toLowerCase() as Hex,
    epoch: epoch === undefined ? null : BigInt(epoch),
  };
}

function createOtherCreator(creator: Hex): SlipwayError {
  const message =
    `The draft's creator is ${creator}: use it as wallet, or use POST /launch/calls to prepare a launch that another ` +
    "wallet sends with the creator's signature.";
  return new SlipwayError("invalid_fields", message, { field: "wallet", details: { creator } });
}

/** `launchFor` accepts only splitters of the factory, whose addresses determine the recipients. */
function createOtherSplitter(splitter: Hex): SlipwayError {
  const message =
    "A launch that its creator signs uses the splitter that the splitter factory creates for the draft: send splitter null.";
  return new SlipwayError("splitter_mismatch", message, { field: "splitter", details: { splitter } });
}

function selectSplitter(
  chain: Pick<Chain, "splitterCreations">,
  manifest: Manifest,
  { id, intent }: StoredDraft,
  { creator, named }: { creator: Hex; named: string | null | undefined },
): LaunchOrder["splitter"] {
  const ofFactory = predictMadeSplitter(manifest, id, toAllocations(intent, creator)).address;
  if (!named) {
    requireValidPayouts(getRecipients(intent, creator), manifest);
    return { address: ofFactory, isNamed: false, isOfFactory: true, creationHash: null };
  }
  const address = checksummed(named);
  const isOfFactory = address === ofFactory;
  const creationHash = isOfFactory ? null : (chain.splitterCreations.get(address) ?? null);
  return { address, isNamed: true, isOfFactory, creationHash };
}

/** Loads the warnings about the content of a draft. */
export async function loadContentWarnings(deps: PreparationDeps, { draft }: LaunchOrder): Promise<Warning[]> {
  const [warnings] = await createContentWarnings(deps, [draft]);
  return warnings!;
}

/** Creates the warnings of a launch in their order. */
export function createLaunchWarnings(
  { draft, launchedBefore }: LaunchOrder,
  { payouts, content, options }: { payouts: Warning[]; content: Warning[]; options: Warning[] },
): Warning[] {
  const launched: Warning = {
    code: "already_launched",
    message: `This draft was launched before, as ${launchedBefore.join(", ")}.`,
  };
  return [
    ...(launchedBefore.length === 0 ? [] : [launched]),
    ...payouts,
    ...content,
    ...createHandleWarnings(draft.labels),
    ...createOptionWarnings(draft),
    ...options,
  ];
}
