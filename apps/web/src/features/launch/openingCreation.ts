import type { ReviewedDraft } from "@slipway/protocol/verify/reviewedLaunch";
import type { Client } from "@slipway/sdk/createLazyClient";
import { importFile } from "../../ui/importFile.ts";
import type { FlowDefinition } from "../../wallet/flowDefinition.ts";
import { WalletError } from "../../wallet/provider.ts";
import type { Sender } from "../../wallet/send.ts";
import { requireReviewed } from "./requireReviewed.ts";

/**
 * The opening that the creator reviewed: amounts in wei, the deadline in Unix seconds. `opening`: its address, once the
 * service has prepared its creation.
 */
export type CreationOrder = {
  wallet: string;
  minimum: string;
  cap: string;
  deadline: number;
  opening: string | null;
};

type CreationParts = {
  api: Pick<Client, "prepareSplitter" | "prepareOpening">;
  getSender(): Sender | null;
  /** The draft as reviewed. */
  draft: ReviewedDraft;
  /** Called with the address of the opening as soon as it is known. */
  onPredicted(opening: string): void;
};

export const getCreationFlow = (draftId: string): string => `opening_creation:${draftId}`;

/** Creates the flow that creates the splitter of a draft at the factory, then the opening of its launch. */
export function createCreationFlow(parts: CreationParts, order: CreationOrder): FlowDefinition {
  const { api, draft } = parts;
  const { wallet, minimum, cap, deadline } = order;
  // Stored with the sent transaction: after a reload, the page knows where the created opening is.
  const stored = { ...order };
  return {
    flow: getCreationFlow(draft.id),
    request: stored,
    lastSteps: ["create_opening"],
    prepare: async (signal) => {
      const sender = parts.getSender();
      if (sender === null || sender.address !== wallet.toLowerCase()) throw new WalletError("account_changed");
      const { factory, contracts } = sender.chain;
      const [{ getDraftSplitter }, { isReviewedOpening }] = await Promise.all([
        importFile(() => import("@slipway/protocol/verify/draftSplitter")),
        importFile(() => import("@slipway/protocol/verify/orderedOpening")),
      ]);
      const request = { intent_id: draft.id, wallet };
      const made = await api.prepareSplitter({ ...request, method: "factory" }, { signal });
      if (made.transaction !== null) {
        const splitter = getDraftSplitter(draft, wallet, contracts);
        requireReviewed([made.transaction], draft, { creator: wallet, factory, splitter, made: null, vesting: null });
        return { kind: "transaction", name: "deploy_splitter", transaction: made.transaction };
      }
      const { transaction, expected } = await api.prepareOpening({ ...request, minimum, cap, deadline }, { signal });
      if (expected?.opening !== undefined) {
        stored.opening = expected.opening;
        parts.onPredicted(expected.opening);
      }
      if (transaction === null) return { kind: "done" };
      const bounds = { minimum: BigInt(minimum), cap: BigInt(cap), deadline };
      if (!isReviewedOpening(transaction, draft, { creator: wallet, bounds, contracts }))
        throw new WalletError("not_as_asked");
      return { kind: "transaction", name: "create_opening", transaction };
    },
  };
}
