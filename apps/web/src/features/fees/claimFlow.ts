import type { Client } from "@slipway/sdk/createLeanClient";
import { sendableCalls } from "@slipway/sdk/sendable";
import { readsAtomic } from "../../wallet/batch.ts";
import type { FlowDefinition, PreparedStep } from "../../wallet/flowDefinition.ts";
import { approves, gives } from "../../wallet/givingSelectors.ts";
import { WalletError } from "../../wallet/provider.ts";
import type { Sender } from "../../wallet/send.ts";
import type { Timing } from "../../wallet/timing.ts";

/** The most tokens of one claim, as the service takes them. */
export const maxClaimTokens = 20;

export type Claim = { wallet: string; tokens: readonly string[]; unwrap: boolean; stages: "all" | "release" };

export type ClaimFlowParts = {
  api: Pick<Client, "prepareClaimCalls">;
  timing: Timing;
  getSender(): Sender | null;
  batches: { areRefused(): boolean; refuse(): void };
  claim: Claim;
};

/** Everything that a wallet earns of some tokens: one transaction where there is one, else a batch, else call by call. */
export function createClaimFlow(parts: ClaimFlowParts): FlowDefinition {
  const { api, claim, timing, batches } = parts;
  // The calls that are left become fewer with each; no flow may ask for ever.
  let callsLeft = Number.POSITIVE_INFINITY;
  return {
    flow: `claim:${claim.wallet.toLowerCase()}`,
    request: claim,
    lastSteps: ["claim"],
    prepare: async (signal): Promise<PreparedStep> => {
      const { wallet, unwrap, stages } = claim;
      const answer = await api.prepareClaimCalls({ wallet, tokens: [...claim.tokens], unwrap, stages }, { signal });
      if (answer.status === "nothing_to_do") return { kind: "done" };
      requireFree([...answer.calls, ...(answer.transaction === null ? [] : [answer.transaction])]);
      if (answer.transaction !== null) return { kind: "transaction", name: "claim", transaction: answer.transaction };
      const sender = parts.getSender();
      if (sender === null) throw new WalletError("account_changed");
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

/** Where a recipient's part of a token is to be paid; null: to the recipient. */
export type PayoutOrder = { token: string; wallet: string; payout: string | null };

/** The name of the flows that move the payout of a token. */
export const getPayoutFlow = (token: string): string => `payout:${token.toLowerCase()}`;

/** Has a recipient's part of a token paid elsewhere, or puts it back. */
export function createPayoutFlow(api: Pick<Client, "preparePayout">, order: PayoutOrder): FlowDefinition {
  return {
    flow: getPayoutFlow(order.token),
    request: order,
    lastSteps: ["set_payout"],
    prepare: async (signal) => {
      const { transaction } = await api.preparePayout(order, { signal });
      if (transaction === null) return { kind: "done" };
      requireFree([transaction]);
      return { kind: "transaction", name: "set_payout", transaction };
    },
  };
}

/** Whatever the service answers: who collects fees, or has them paid elsewhere, pays and gives nothing. */
function requireFree(asked: readonly { data: string; value: string }[]): void {
  const isFree = asked.every(({ data, value }) => BigInt(value) === 0n && !approves(data) && !gives(data));
  if (!isFree) throw new WalletError("not_as_asked");
}
