import { checksummed } from "@slipway/protocol/primitives";
import { tradeCallsRequest, tradeCallsResult } from "@slipway/protocol/tradeCalls";
import { quote, type TradeRequest, tradeRequest, unsignedResult } from "@slipway/protocol/transaction";
import { getProvenManifest } from "../../chain/readChain.ts";
import type { Deps } from "../../deps.ts";
import { guardedRoute, type Route } from "../../route.ts";
import { chainErrors } from "../../transactions/unsignedResult.ts";
import { prepareTrade } from "./prepareTrade.ts";
import { prepareTradeCalls } from "./prepareTradeCalls.ts";
import { quoteTrade, type TradeOrder } from "./quoteTrade.ts";
import { toTradeCallsOrder } from "./tradeCallsOrder.ts";

const errors = ["pool_not_supported", "amount_too_small", "simulation_reverted", ...chainErrors] as const;

/** Routes that quote and swap launched tokens against the wrapped native asset. */
export function tradeRoutes(deps: Deps): Route[] {
  return [
    guardedRoute({
      method: "POST",
      path: "/trade/quote",
      scope: "read",
      name: "quoteTrade",
      tag: "Trade",
      summary: "Quote a trade at an explicit block",
      description: "Good for 60 seconds of the chain's time. `price_impact_bps` leaves the pool's fee out.",
      schemas: { body: tradeRequest },
      answers: { 200: { description: "The quote", schema: quote } },
      errors: [...errors],
      handle: async ({ body }) => await quoteTrade(deps, toTradeOrder(body)),
    }),

    guardedRoute({
      method: "POST",
      path: "/trade/transactions",
      scope: "transactions",
      name: "prepareTrade",
      tag: "Trade",
      summary: "Prepare the exact approval, then the deadline-protected swap",
      description:
        "While the router's allowance is below `amount_in`, answers the approval of exactly that amount; ask again " +
        "with the same body after its receipt to get the swap. The swap pays the wallet and fails after " +
        "`quote.expires_at` or below `quote.minimum_out`.",
      schemas: { body: tradeRequest },
      answers: { 200: { description: "The transaction to sign", schema: unsignedResult } },
      errors: [...errors, "insufficient_balance"],
      handle: async ({ body, requestId }) =>
        await prepareTrade(deps, getProvenManifest(deps.chain), toTradeOrder(body), requestId),
    }),

    guardedRoute({
      method: "POST",
      path: "/trade/calls",
      scope: "transactions",
      name: "prepareTradeCalls",
      tag: "Trade",
      summary: "Prepare a trade as one batch, in native if wanted, with a permit instead of an approval",
      description:
        "Send `amount_in` with `slippage_bps`, or `amount_out` with `maximum_in`. `calls` is the whole trade, for " +
        "`wallet_sendCalls` (EIP-5792, atomic): an exact approval where the router's allowance is too low, then the " +
        "swap. `transaction` is the same as one transaction, or null where one cannot do it. A buy with `pay` native " +
        "needs neither wrapping nor approval. A sell by a wallet without code that lacks the allowance carries " +
        "`permit_typed_data`: sign it, and send its `deadline` and the signature as `permit` to get one transaction. " +
        "The whole batch is simulated at `block_number`; it fails after `quote.expires_at`.",
      schemas: { body: tradeCallsRequest },
      answers: { 200: { description: "The batch to send, and the transaction to sign", schema: tradeCallsResult } },
      errors: [
        ...errors,
        "insufficient_balance",
        "address_checksum",
        "recipient_cannot_receive",
        "signature_invalid",
        "quote_expired",
      ],
      handle: async ({ body, requestId }) =>
        await prepareTradeCalls(deps, getProvenManifest(deps.chain), toTradeCallsOrder(body), requestId),
    }),
  ];
}

function toTradeOrder(body: TradeRequest): TradeOrder {
  return { ...body, token: checksummed(body.token), wallet: checksummed(body.wallet) };
}
