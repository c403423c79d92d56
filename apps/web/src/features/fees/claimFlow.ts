import type { Claim, PayoutOrder } from "@slipway/protocol/verify/orderedCalls";
import type { Client } from "@slipway/sdk/createLazyClient";
import { sendableCalls } from "@slipway/sdk/sendable";
import { importFile } from "../../ui/importFile.ts";
import { readsAtomic } from "../../wallet/batch.ts";
import type { FlowDefinition, PreparedStep } from "../../wallet/flowDefinition.ts";
import { WalletError } from "../../wallet/provider.ts";
import type { Sender } from "../../wallet/send.ts";
import type { Timing } from "../../wallet/timing.ts";

/** The service's maximum number of tokens per claim. */
export const maxClaimTokens = 20;

export type ClaimFlowParts = {
  api: Pick<Client, "prepareClaimCalls">;
  timing: Timing;
  getSender(): Sender | null;
  batches: { areRefused(): boolean; refuse(): void };
  claim: Claim;
};

/** Creates the flow that claims a wallet's fees: one transaction if possible, else a batch, else single calls. */
export function createClaimFlow(parts: ClaimFlowParts): FlowDefinition {
  const { api, claim, timing, batches } = parts;
  // Each claimed part must reduce the number of remaining calls; otherwise the flow would never end.
  let callsLeft = Number.POSITIVE_INFINITY;
  return {
    flow: `claim:${claim.wallet.toLowerCase()}`,
    request: claim,
    lastSteps: ["claim"],
    prepare: async (signal): Promise<PreparedStep> => {
      const { wallet, unwrap, stages } = claim;
      const answer = await api.prepareClaimCalls({ wallet, tokens: [...claim.tokens], unwrap, stages }, { signal });
      if (answer.status === "nothing_to_do") return { kind: "done" };
      const sender = parts.getSender();
      if (sender === null) throw new WalletError("account_changed");
      const asked = [...answer.calls, ...(answer.transaction === null ? [] : [answer.transaction])];
      const { isOrderedClaim } = await importFile(() => import("@slipway/protocol/verify/orderedCalls"));
      if (!asked.every((call) => isOrderedClaim(call, claim, sender.chain.contracts)))
        throw new WalletError("not_as_asked");
      if (answer.transaction !== null) return { kind: "transaction", name: "claim", transaction: answer.transaction };
      const batch = sendableCalls(answer, wallet);
      if (batch !== null && !batches.areRefused() && (await readsAtomic(sender, timing)))
        return { kind: "batch", name: "claim", batch };
      const [first] = answer.calls;
      if (first === undefined || answer.calls.length >= callsLeft) return { kind: "done" };
      callsLeft = answer.calls.length;
      const chainId = `0x${answer.manifest.chain_id.toString(16)}`;
      return { kind: "transaction", name: "claim_part", transaction: { chainId, from: sender.address, ...first } };
    },
    batchRefused: () => batches.refuse(),
  };
}

/** Returns the name of the flows that change the payout address of a token. */
export const getPayoutFlow = (token: string): string => `payout:${token.toLowerCase()}`;

/** Creates the flow that changes or resets a recipient's payout address. */
export function createPayoutFlow(api: Pick<Client, "preparePayout">, order: PayoutOrder): FlowDefinition {
  return {
    flow: getPayoutFlow(order.token),
    request: order,
    lastSteps: ["set_payout"],
    prepare: async (signal) => {
      const { token, wallet, payout } = order;
      const { transaction } = await api.preparePayout({ token, wallet, payout }, { signal });
      if (transaction === null) return { kind: "done" };
      const { isOrderedPayout } = await importFile(() => import("@slipway/protocol/verify/orderedCalls"));
      if (!isOrderedPayout(transaction, order)) throw new WalletError("not_as_asked");
      return { kind: "transaction", name: "set_payout", transaction };
    },
  };
}
