import type { TradeCallsResult } from "@slipway/protocol/tradeCalls";
import type { Client } from "@slipway/sdk/createLazyClient";
import { sendableCalls } from "@slipway/sdk/sendable";
import { importFile } from "../../ui/importFile.ts";
import { readsAtomic } from "../../wallet/batch.ts";
import type { FlowDefinition, PreparedStep } from "../../wallet/flowDefinition.ts";
import { ask, type Hex, WalletError } from "../../wallet/provider.ts";
import { type Sender, type Sent, signTypedData } from "../../wallet/send.ts";
import type { Timing } from "../../wallet/timing.ts";
import { isWorse, type Permit, type TradeOrder, toRequest } from "./tradeOrder.ts";

/** The current quote is worse than the accepted one. */
export class WorseQuote extends Error {
  override name = "WorseQuote";
  readonly amountOut: bigint;

  constructor(amountOut: bigint) {
    super("The quote is worse than the accepted one.");
    this.amountOut = amountOut;
  }
}

export type TradeFlowParts = {
  api: Pick<Client, "prepareTradeCalls" | "listTokenTrades">;
  timing: Timing;
  getSender(): Sender | null;
  order: TradeOrder;
  /** The fee tier of the token in basis points, whose pool the swap must use; null if it is unknown. */
  feeBps: number | null;
  /** The accepted output; null accepts the current quote, after a reload. */
  getAccepted(): bigint | null;
  /** Remembers wallets that refused a batch; they get single steps. */
  batches: { areRefused(): boolean; refuse(): void };
  /** Remembers accounts that did not sign a permit; they get an approval, which is one more transaction. */
  permits: { areRefused(): boolean };
};

/** Creates the flow of a trade: a batch if possible, else a permit or an exact approval, then the swap. */
export function createTradeFlow(parts: TradeFlowParts): FlowDefinition {
  const { api, order, timing, batches, permits } = parts;
  let permit: Permit | null = null;
  let isAtomic: boolean | null = null;
  const requireSender = () => {
    const sender = parts.getSender();
    if (sender === null || sender.address !== order.wallet.toLowerCase()) throw new WalletError("account_changed");
    return sender;
  };

  const prepare = async (signal: AbortSignal): Promise<PreparedStep> => {
    const request = toRequest(order, permit);
    const answer = await api.prepareTradeCalls(request, { signal });
    const sender = requireSender();
    const { checkTrade } = await importFile(() => import("@slipway/protocol/verify/orderedTrade"));
    if (!checkTrade(answer, request, sender.chain.contracts, parts.feeBps).every(({ ok }) => ok))
      throw new WalletError("not_as_asked");
    const accepted = parts.getAccepted();
    const amountOut = BigInt(answer.quote.amount_out);
    if (accepted !== null && isWorse(amountOut, accepted, order.slippageBps)) throw new WorseQuote(amountOut);
    if (answer.transaction !== null) return { kind: "transaction", name: "swap", transaction: answer.transaction };
    isAtomic ??= !batches.areRefused() && (await readsAtomic(sender, timing));
    if (isAtomic && !batches.areRefused()) {
      const batch = sendableCalls(answer, order.wallet);
      if (batch !== null) return { kind: "batch", name: "swap", batch };
    }
    if (answer.permit_typed_data !== null && !permits.areRefused())
      return toPermitStep(answer.permit_typed_data, requireSender, (signed) => (permit = signed));
    return toCallStep(answer, sender);
  };

  /**
   * Finds the order's trade since it was sent: in the wallet's own transaction, or in an execution by a contract
   * wallet.
   */
  const findReplacement = async (sent: Sent, name: string) => {
    if (name !== "swap") return null;
    const { items } = await api.listTokenTrades({ address: order.token, side: order.side, limit: 50 });
    const same = items.filter(
      ({ block_number, quote_amount, token_amount }) =>
        block_number > sent.block && (order.side === "buy" ? quote_amount : token_amount) === order.amount,
    );
    const wallet = order.wallet.toLowerCase();
    const own = same.find(({ account, maker }) => account.toLowerCase() === wallet || maker.toLowerCase() === wallet);
    if (own !== undefined) return own.tx_hash as Hex;
    for (const { tx_hash: hash } of same) if (await namesWallet(requireSender(), hash as Hex)) return hash as Hex;
    return null;
  };

  return {
    flow: `trade:${order.token.toLowerCase()}`,
    request: order,
    lastSteps: ["swap"],
    prepare,
    findReplacement,
    batchRefused: () => batches.refuse(),
  };
}

/** Whether the transaction's logs contain the wallet's address, so that it moved assets of the wallet. */
async function namesWallet({ provider, address }: Sender, hash: Hex): Promise<boolean> {
  const receipt = (await ask(provider, "eth_getTransactionReceipt", [hash])) as {
    logs?: { topics: string[] }[];
  } | null;
  const word = `0x${address.slice(2).toLowerCase().padStart(64, "0")}`;
  return receipt?.logs?.some(({ topics }) => topics.includes(word)) === true;
}

type PermitTyped = NonNullable<TradeCallsResult["permit_typed_data"]>;

function toPermitStep(typed: PermitTyped, getSender: () => Sender, accept: (permit: Permit) => void): PreparedStep {
  return {
    kind: "signature",
    name: "permit",
    work: async () => {
      const signature = await signTypedData(getSender(), typed);
      accept({ deadline: Number(typed.message.deadline), signature });
    },
  };
}

/** Returns the first of several calls: the exact approval. The next response contains only the swap. */
function toCallStep({ calls, manifest }: TradeCallsResult, sender: Sender): PreparedStep {
  const [first] = calls;
  if (first === undefined) return { kind: "done" };
  const { to, data, value } = first;
  const chainId = `0x${manifest.chain_id.toString(16)}`;
  return { kind: "transaction", name: "approve", transaction: { chainId, from: sender.address, to, data, value } };
}
