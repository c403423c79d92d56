import { type Hex, keccak256, stringToBytes } from "viem";
import { canonicalJson } from "./canonicalJson.ts";
import type { Intent } from "./intent.ts";

/** The inputs of a draft commitment. */
export type CommittedDraft = {
  /** The id of the draft, a UUID in any case. */
  draftId: string;
  /** The stored intent. It is hashed in canonical form, so key order and white space do not matter. */
  intent: Intent;
  /** The wallet that sends the launch, in any case: `LaunchRequest.wallet`, and `creator` of the Launched log. */
  creator: string;
};

/** Separates this hash from every other use of keccak256; a new version of the rule needs a new domain. */
const domain = "slipway.draft.v1";

/** The key of the commitment in a launch's ERC-7572 document. */
export const draftCommitmentKey = "draft_commitment";

/**
 * keccak256 of the UTF-8 of `{"creator":…,"domain":"slipway.draft.v1","draft_id":…,"intent":…}` in canonical JSON;
 * creator and id in lower case. Different drafts or creators have different hashes, even with equal content, because
 * the ids differ and canonical JSON is equal only for equal values. The hash reveals nothing of the draft while its id
 * is secret: the id is random and shown only to its account.
 *
 * @example
 * draftCommitment({ draftId, intent, creator: wallet }); // "0x…", 32 bytes in lower case
 */
export function draftCommitment({ draftId, intent, creator }: CommittedDraft): Hex {
  const committed = { creator: creator.toLowerCase(), domain, draft_id: draftId.toLowerCase(), intent };
  return keccak256(stringToBytes(canonicalJson(committed)));
}

const ownDocumentPrefix = "data:application/json;base64,";

/**
 * Returns the commitment of a contract URI in the exact form that this service writes; null for every other URI or
 * document. The returned commitment proves nothing until it equals {@link draftCommitment} of the draft and the
 * launch's creator.
 */
export function readDraftCommitment(contractUri: string): Hex | null {
  if (!contractUri.startsWith(ownDocumentPrefix)) return null;
  try {
    const bytes = Uint8Array.from(atob(contractUri.slice(ownDocumentPrefix.length)), (c) => c.charCodeAt(0));
    const document: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (typeof document !== "object" || document === null || !Object.hasOwn(document, draftCommitmentKey)) return null;
    const commitment = (document as Record<string, unknown>)[draftCommitmentKey];
    return typeof commitment === "string" && /^0x[0-9a-f]{64}$/.test(commitment) ? (commitment as Hex) : null;
  } catch {
    return null;
  }
}

/**
 * Whether the launch's own document commits to this draft and the launch was sent by the wallet it was prepared for.
 */
export function commitsToDraft(contractUri: string, draft: CommittedDraft): boolean {
  return readDraftCommitment(contractUri) === draftCommitment(draft);
}
