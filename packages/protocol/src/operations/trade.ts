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
    summary: "Quote a trade at a block",
    description: "The quote is valid for 60 seconds of chain time. `price_impact_bps` excludes the fee of the pool.",
    body: tradeRequest,
    scope: "read",
    answers: { 200: { description: "The quote", schema: quote } },
    errors: tradeErrors,
  },

  prepareTrade: {
    tag: "Trade",
    summary: "Prepare the approval of a trade, then the swap",
    description:
      "If the router's allowance is below `amount_in`, returns the approval of exactly that amount. After its " +
      "receipt, repeat the request to get the swap. The swap pays the wallet, and fails after `quote.expires_at` or " +
      "below `quote.minimum_out`.",
    body: tradeRequest,
    scope: "transactions",
    answers: { 200: { description: "The transaction to sign", schema: unsignedResult } },
    errors: [...tradeErrors, "insufficient_balance"],
  },

  prepareTradeCalls: {
    tag: "Trade",
    summary:
      "Prepare a trade as one batch, optionally in native or another asset, and with a permit instead of an approval",
    description:
      "Send `amount_in` with `slippage_bps`, or `amount_out` with `maximum_in`. `calls` is the whole trade for " +
      "`wallet_sendCalls` (EIP-5792, atomic): an exact approval if the router's allowance is too low, then the " +
      "swap. `transaction` is the same trade as one transaction, or null if one is not enough. A buy with `pay` " +
      "native needs neither wrapping nor an approval. With `pay` or `receive` an asset of `trade_assets` (GET /config), " +
      "the swap also goes through the pool of the asset. For a sell, or a buy with an asset, by a wallet without code " +
      "that lacks the allowance, the answer has `permit_typed_data`: sign it, and send its `deadline` and the " +
      "signature as `permit` to get one transaction. The whole batch is simulated at `block_number`, and fails after `quote.expires_at`.",
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
      "asset_unavailable",
    ],
  },

  quoteGas: {
    tag: "Gas",
    summary: "Quote the native token that a wallet needs for a gas limit",
    description:
      "The price is in a supported stablecoin: the quote of the ETH/USD pool, checked against its average price, " +
      "plus a markup. The quote is valid for three minutes of chain time and for one top-up. `typed_data` and " +
      "`permit_typed_data` are for `eth_signTypedData_v4`; they are null if the wallet has enough native token. " +
      "`next` has the next step.",
    body: gasQuoteRequest,
    refusedBodyStatus: 422,
    scope: "transactions",
    answers: { 200: { description: "The quote", schema: gasQuote } },
    errors: gasErrors,
  },

  topUpGas: {
    tag: "Gas",
    summary: "Relay a signed gas quote",
    description:
      "The gas station takes the quoted tokens and sends the quoted native token in one step, or does neither. " +
      "Signatures are ECDSA by the key of the wallet: 65 bytes r, s, v with a low s; v is 27 or 28, and 0 or 1 are " +
      "accepted as these. Contract wallets cannot sign. A refused request does not use the quote. Wait for the " +
      "returned hash before you send your own transaction.",
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
    summary: "Get the status of a top-up",
    description: "If the status is `replaced`, `hash` is the transaction that replaced it.",
    params: z.object({ hash: bytes32.describe("The hash that POST /gas/topup returned.") }),
    answers: { 200: { description: "The status on the chain", schema: gasTopUpStatus } },
    errors: ["invalid_request", "not_found", "chain_unavailable", "storage_unavailable"],
  },
} satisfies Record<string, OperationDefinition>;
