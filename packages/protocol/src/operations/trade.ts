import { z } from "zod";
import { gasQuote, gasQuoteRequest, gasTopUp, gasTopUpRequest, gasTopUpStatus } from "../gas.ts";
import { bytes32 } from "../primitives.ts";
import { tradeCallsRequest, tradeCallsResult } from "../tradeCalls.ts";
import { quote, tradeRequest, unsignedResult } from "../transaction.ts";
import { chainErrors, type OperationDefinition } from "./operationDefinition.ts";

const tradeErrors = ["pool_not_supported", "amount_too_small", "simulation_reverted", ...chainErrors] as const;

const gasErrors = ["gas_station_unavailable", ...chainErrors] as const;

/** Operations that quote and prepare trades, and sell gas. */
export const tradeOperations = {
  quoteTrade: {
    tag: "Trade",
    summary: "Quote a trade at an explicit block",
    description: "Good for 60 seconds of the chain's time. `price_impact_bps` leaves the pool's fee out.",
    body: tradeRequest,
    scope: "read",
    answers: { 200: { description: "The quote", schema: quote } },
    errors: tradeErrors,
  },

  prepareTrade: {
    tag: "Trade",
    summary: "Prepare the exact approval, then the deadline-protected swap",
    description:
      "While the router's allowance is below `amount_in`, answers the approval of exactly that amount; ask again " +
      "with the same body after its receipt to get the swap. The swap pays the wallet and fails after " +
      "`quote.expires_at` or below `quote.minimum_out`.",
    body: tradeRequest,
    scope: "transactions",
    answers: { 200: { description: "The transaction to sign", schema: unsignedResult } },
    errors: [...tradeErrors, "insufficient_balance"],
  },

  prepareTradeCalls: {
    tag: "Trade",
    summary: "Prepare a trade as one batch, in native if wanted, with a permit instead of an approval",
    description:
      "Send `amount_in` with `slippage_bps`, or `amount_out` with `maximum_in`. `calls` is the whole trade, for " +
      "`wallet_sendCalls` (EIP-5792, atomic): an exact approval where the router's allowance is too low, then the " +
      "swap. `transaction` is the same as one transaction, or null where one cannot do it. A buy with `pay` native " +
      "needs neither wrapping nor approval. A sell by a wallet without code that lacks the allowance carries " +
      "`permit_typed_data`: sign it, and send its `deadline` and the signature as `permit` to get one transaction. " +
      "The whole batch is simulated at `block_number`; it fails after `quote.expires_at`.",
    body: tradeCallsRequest,
    scope: "transactions",
    answers: { 200: { description: "The batch to send, and the transaction to sign", schema: tradeCallsResult } },
    errors: [
      ...tradeErrors,
      "insufficient_balance",
      "address_checksum",
      "recipient_cannot_receive",
      "signature_invalid",
      "quote_expired",
    ],
  },

  quoteGas: {
    tag: "Gas",
    summary: "Price the native asset that a wallet lacks for a gas limit",
    description:
      "In an accepted stablecoin, by the ETH/USD pool's quoter and a markup, compared with the pool's mean. Good for " +
      "three minutes of the chain's time and for one top-up. `typed_data` and `permit_typed_data` are for " +
      "`eth_signTypedData_v4`; null when nothing is short. `next` says what to do.",
    body: gasQuoteRequest,
    refusedBodyStatus: 422,
    scope: "transactions",
    answers: { 200: { description: "The quote", schema: gasQuote } },
    errors: gasErrors,
  },

  topUpGas: {
    tag: "Gas",
    summary: "Relay a signed quote",
    description:
      "The station takes the quoted tokens and sends the quoted native in one step, or does neither. Signatures are " +
      "ECDSA by the wallet's own key: 65 bytes r, s, v with a low s; v 27 or 28, and 0 or 1 are taken for these. " +
      "Contract wallets cannot sign. A refused request does not use the quote up. Wait for the returned hash before " +
      "sending your own transaction.",
    body: gasTopUpRequest,
    refusedBodyStatus: 422,
    scope: "transactions",
    answers: { 200: { description: "The top-up was sent", schema: gasTopUp } },
    errors: [
      "quote_expired",
      "quote_consumed",
      "signature_invalid",
      "insufficient_balance",
      "simulation_reverted",
      "rate_limited",
      ...gasErrors,
    ],
  },

  getTopUp: {
    tag: "Gas",
    summary: "Get what became of a top-up",
    description: "`replaced`: `hash` is the transaction that replaced it.",
    params: z.object({ hash: bytes32.describe("The hash that the top-up was answered with.") }),
    answers: { 200: { description: "Its state on the chain", schema: gasTopUpStatus } },
    errors: ["invalid_request", "not_found", "chain_unavailable", "storage_unavailable"],
  },
} satisfies Record<string, OperationDefinition>;
