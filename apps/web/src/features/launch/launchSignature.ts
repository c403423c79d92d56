import type { DraftWithOptions } from "@slipway/protocol/launchOptions";
import type { LaunchTypedData } from "@slipway/protocol/launchSignature";
import type { Client } from "@slipway/sdk/createLeanClient";
import type { AccountStorage } from "../../session/accountStorage.ts";
import type { FlowDefinition } from "../../wallet/flowDefinition.ts";
import { type Hex, WalletError } from "../../wallet/provider.ts";
import { type Sender, signTypedData } from "../../wallet/send.ts";
import type { Timing } from "../../wallet/timing.ts";
import { createAttempts, type SignedLaunch } from "./launchFlow.ts";
import { isReviewedLaunch } from "./reviewedLaunch.ts";

/** What a creator is given to sign, and the signature once there is one. */
export type Offer = { typed: LaunchTypedData; attempt: number; signature: string | null };

const toName = (draftId: string) => `launch_signature.${draftId}`;

/** The offer that this browser keeps of a draft; null where there is none, and when it has ended. */
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

/** What the sender's flow needs of a signed offer; null while it is not signed. */
export function toSigned({ typed: { message }, attempt, signature }: Offer): SignedLaunch | null {
  if (signature === null) return null;
  return { creator: message.creator.toLowerCase(), attempt, deadline: Number(message.deadline), signature };
}

/** A signature as it is pasted: whole bytes; none where the wallet has approved the message on the chain. */
export const isSignature = (text: string): boolean => /^0x([0-9a-fA-F]{2}){0,4096}$/.test(text.trim());

type OfferParts = {
  api: Pick<Client, "getIntentProgress" | "prepareLaunchCalls">;
  timing: Timing;
  draft: DraftWithOptions;
  creator: string;
  /** The factory of this deployment. */
  factory: Hex;
};

/** Any account can send what is signed, and none is known yet. It is no account of anybody. */
const anySender = "0x000000000000000000000000000000000000dEaD";

/**
 * Asks what the creator has to sign. @returns null when the draft turns out to be launched
 *
 * @throws WalletError `not_as_asked` where it is not this draft's launch; ApiError
 */
export async function askOffer(parts: OfferParts, signal: AbortSignal): Promise<Offer | null> {
  const { api, draft, creator } = parts;
  const attempts = createAttempts({ ...parts, draftId: draft.id }, creator);
  const request = { intent_id: draft.id, wallet: anySender, splitter: null };
  const found = await attempts.first((salt) => api.prepareLaunchCalls({ ...request, salt }, { signal }), signal);
  if (found === null) return null;
  const typed = found.answer.typed_data;
  if (typed === null || !isOfDraft(typed, parts)) throw new WalletError("not_as_asked");
  return { typed, attempt: found.attempt, signature: null };
}

/** Whatever the service answers, a creator signs the launch of the draft that is shown, and no other one. */
function isOfDraft(
  { domain, primaryType, message }: LaunchTypedData,
  { draft, creator, factory }: OfferParts,
): boolean {
  const { params, buy, value } = message;
  return (
    primaryType === "Launch" &&
    domain.verifyingContract.toLowerCase() === factory.toLowerCase() &&
    message.creator.toLowerCase() === creator.toLowerCase() &&
    isReviewedLaunch({ ...params, buyer: buy.recipient, value }, draft, creator)
  );
}

type SignatureParts = OfferParts & { getSender(): Sender | null; onSigned(offer: Offer): void };

/** The creator's signature as a flow of one step. */
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
        onSigned({ ...offer, signature: await signTypedData(sender, offer.typed, { allowsEmpty: true }) });
      };
      return { kind: "signature", name: "sign_launch", work };
    },
  };
}
