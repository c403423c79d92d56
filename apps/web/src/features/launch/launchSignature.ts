import { canonicalJson } from "@slipway/protocol/canonicalJson";
import type { DraftWithOptions } from "@slipway/protocol/launchOptions";
import type { LaunchTypedData } from "@slipway/protocol/launchSignature";
import { authorizationValiditySeconds, launchTypes } from "@slipway/protocol/signedTypes";
import type { VanitySalt } from "@slipway/protocol/vanitySearch";
import { isReviewedLaunch } from "@slipway/protocol/verify/reviewedLaunch";
import type { Client } from "@slipway/sdk/createLazyClient";
import type { AccountStorage } from "../../session/accountStorage.ts";
import { requireCurrentEpoch } from "../../session/requireCurrentEpoch.ts";
import { importFile } from "../../ui/importFile.ts";
import type { FlowDefinition } from "../../wallet/flowDefinition.ts";
import { WalletError } from "../../wallet/provider.ts";
import { type Sender, signTypedData } from "../../wallet/send.ts";
import type { Timing } from "../../wallet/timing.ts";
import { createSaltedWork, type SignedLaunch } from "./launchFlow.ts";

/** The launch for the creator to sign, with the signature after signing. */
export type Offer = { typed: LaunchTypedData; signature: string | null };

const toName = (draftId: string) => `launch_signature.${draftId}`;

/** Loads the stored offer of a draft; null if there is none or its deadline has passed. */
export function loadOffer(storage: Pick<AccountStorage, "getItem">, draftId: string, now: Date): Offer | null {
  try {
    const kept = JSON.parse(storage.getItem(toName(draftId)) ?? "null") as Offer | null;
    return kept !== null && Number(kept.typed.message.deadline) * 1_000 > now.getTime() ? kept : null;
  } catch {
    return null;
  }
}

export function saveOffer(
  storage: Pick<AccountStorage, "setItem" | "removeItem">,
  draftId: string,
  offer: Offer | null,
): void {
  if (offer === null) storage.removeItem(toName(draftId));
  else storage.setItem(toName(draftId), JSON.stringify(offer));
}

/** Returns the signed launch for the sender's flow; null if the offer is not signed. */
export function toSigned({ typed: { message }, signature }: Offer): SignedLaunch | null {
  if (signature === null) return null;
  return {
    creator: message.creator.toLowerCase(),
    salt: message.params.salt,
    deadline: Number(message.deadline),
    epoch: Number(message.epoch),
    signature,
  };
}

/** Whether a pasted text is a signature: whole bytes. Empty (0x) if the wallet approved the message on-chain. */
export const isSignature = (text: string): boolean => /^0x([0-9a-fA-F]{2}){0,4096}$/.test(text.trim());

type OfferParts = {
  api: Pick<Client, "getIntentProgress" | "prepareLaunchCalls">;
  timing: Timing;
  draft: DraftWithOptions;
  creator: string;
  /** The contracts of the deployment, by the names of `GET /config`. */
  contracts: Readonly<Record<string, string>>;
  /** The salt that was searched for this launch, with its token; null for the draft's own salts. */
  vanity: VanitySalt | null;
};

/** A placeholder sender, because any account can send the signed launch. Nobody owns this address. */
const anySender = "0x000000000000000000000000000000000000dEaD";

/**
 * Requests the launch for the creator to sign. @returns null if the draft is already launched
 *
 * @throws WalletError `not_as_asked` if the response is not this draft's launch; ApiError
 */
export async function askOffer(parts: OfferParts, signal: AbortSignal): Promise<Offer | null> {
  const { api, draft, creator, contracts, vanity } = parts;
  const withSalt = createSaltedWork({ ...parts, draftId: draft.id, salt: vanity?.salt ?? null }, creator);
  const request = { intent_id: draft.id, wallet: anySender, splitter: null };
  const answer = await withSalt((salt) => api.prepareLaunchCalls({ ...request, salt }, { signal }), signal);
  if (answer === null) return null;
  const typed = answer.typed_data;
  if (typed === null || !(await isOfDraft(typed, parts))) throw new WalletError("not_as_asked");
  if (vanity !== null) {
    const { requireTokenOf } = await importFile(() => import("./requireToken.ts"));
    requireTokenOf(typed.message, { contracts, token: vanity.token });
  }
  return { typed, signature: null };
}

/** The longest validity of a launch to sign, in seconds: what the service offers, and an hour between two clocks. */
const maxValiditySeconds = Number(authorizationValiditySeconds) + 3_600;

/** Whether typed data launch the reviewed draft. The check does not trust the service's response. */
async function isOfDraft(
  { domain, primaryType, types, message }: LaunchTypedData,
  { draft, creator, contracts }: OfferParts,
): Promise<boolean> {
  const { params, buy, value } = message;
  const [{ getDraftSplitter }, { getReviewedVesting }] = await Promise.all([
    importFile(() => import("@slipway/protocol/verify/draftSplitter")),
    importFile(() => import("@slipway/protocol/verify/draftVesting")),
  ]);
  const splitter = getDraftSplitter(draft, creator, contracts).address;
  const vesting = getReviewedVesting(draft, creator, contracts);
  return (
    primaryType === "Launch" &&
    canonicalJson(types) === canonicalJson(launchTypes) &&
    Number(message.deadline) <= Date.now() / 1_000 + maxValiditySeconds &&
    domain.verifyingContract.toLowerCase() === contracts.launch_factory?.toLowerCase() &&
    message.creator.toLowerCase() === creator.toLowerCase() &&
    isReviewedLaunch({ ...params, buyer: buy.recipient, value }, draft, { creator, splitter, vesting })
  );
}

type CancellationParts = Pick<OfferParts, "contracts"> & {
  api: Pick<Client, "prepareLaunchCancellation">;
  wallet: string;
  onCancelled(): void;
};

/** Creates the flow that cancels, on-chain, every launch that the wallet has signed. */
export function createCancellationFlow({ api, wallet, contracts, onCancelled }: CancellationParts): FlowDefinition {
  return {
    flow: "launch_cancellation",
    request: null,
    lastSteps: ["cancel_launches"],
    prepare: async (signal) => {
      const { transaction } = await api.prepareLaunchCancellation({ wallet }, { signal });
      if (transaction === null) return { kind: "done" };
      const { isCancellation } = await importFile(() => import("@slipway/protocol/verify/orderedCalls"));
      if (!isCancellation(transaction, contracts)) throw new WalletError("not_as_asked");
      return { kind: "transaction", name: "cancel_launches", transaction };
    },
    confirmed: () => onCancelled(),
  };
}

type SignatureParts = OfferParts & { getSender(): Sender | null; onSigned(offer: Offer): void };

/** Creates the one-step flow of the creator's signature. */
export function createSignatureFlow(parts: SignatureParts): FlowDefinition {
  const { draft, creator, getSender, onSigned } = parts;
  return {
    flow: `launch_signature:${draft.id}`,
    request: null,
    lastSteps: ["sign_launch"],
    prepare: async (signal) => {
      const offer = await askOffer(parts, signal);
      if (offer === null) return { kind: "done" };
      const work = async () => {
        const sender = getSender();
        if (sender === null || sender.address !== creator.toLowerCase()) throw new WalletError("account_changed");
        await requireCurrentEpoch(sender, offer.typed);
        onSigned({ ...offer, signature: await signTypedData(sender, offer.typed, { allowsEmpty: true }) });
      };
      return { kind: "signature", name: "sign_launch", work };
    },
  };
}
