import type { GasQuote } from "@slipway/protocol/gas";
import { isShownTopUp } from "@slipway/protocol/verify/shownTopUp";
import type { Client } from "@slipway/sdk/createLazyClient";
import type { FlowDefinition } from "../../wallet/flowDefinition.ts";
import { WalletError } from "../../wallet/provider.ts";
import { type Sender, signTypedData } from "../../wallet/send.ts";
import type { Timing } from "../../wallet/timing.ts";

/** The station's transaction did not succeed: nothing was exchanged. */
export class TopUpFailed extends Error {
  override name = "TopUpFailed";
}

export type TopUpFlowParts = {
  api: Pick<Client, "topUpGas" | "getTopUp">;
  timing: Timing;
  getSender(): Sender | null;
  wallet: string;
  /** The token that the user pays with. */
  token: string;
  quote: GasQuote;
};

const pollMs = 1_000;
const maxPolls = 180;

/** Creates the flow of a quote: one or two signatures, then the wait for the station's transaction. */
export function createTopUpFlow({ api, timing, getSender, wallet, token, quote }: TopUpFlowParts): FlowDefinition {
  let permit: string | null = null;
  let signature: string | null = null;
  const requireSender = () => {
    const sender = getSender();
    if (sender === null || sender.address !== wallet.toLowerCase()) throw new WalletError("account_changed");
    return sender;
  };

  const submit = async () => {
    const { quote_id } = quote;
    const signed = {
      quote_id,
      wallet,
      signature: signature ?? "",
      ...(permit === null ? {} : { permit_signature: permit }),
    };
    let { hash, status } = await api.topUpGas(signed);
    for (let poll = 0; poll < maxPolls && (status === "pending" || status === "replaced"); poll++) {
      await timing.wait(pollMs);
      // A failed read says nothing about the exchange. Keep polling.
      const read = await api.getTopUp({ hash }).catch(() => null);
      if (read !== null) ({ hash, status } = read);
    }
    if (status !== "confirmed") throw new TopUpFailed(`The exchange ${hash} is ${status}.`);
  };

  return {
    flow: `top_up:${quote.quote_id}`,
    request: null,
    lastSteps: ["top_up_sent"],
    prepare: async () => {
      const { typed_data: typed, permit_typed_data: permitTyped } = quote;
      if (!quote.needs_top_up || typed === null) return { kind: "done" };
      // The gas station of the deployment, which is not of the same response.
      const station = requireSender().chain.contracts.gas_station ?? "";
      if (!isShownTopUp(quote, { wallet, token, station })) throw new WalletError("not_as_asked");
      if (quote.needs_permit && permitTyped !== null && permit === null) {
        const work = async () => {
          permit = await signTypedData(requireSender(), permitTyped);
        };
        return { kind: "signature", name: "permit_top_up", work };
      }
      if (signature === null) {
        const work = async () => {
          signature = await signTypedData(requireSender(), typed);
        };
        return { kind: "signature", name: "top_up", work };
      }
      return { kind: "service", name: "top_up_sent", work: submit };
    },
  };
}
