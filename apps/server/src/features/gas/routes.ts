import { SlipwayError } from "@slipway/protocol/errors";
import {
  type GasTopUpStatus,
  gasQuote,
  gasQuoteRequest,
  gasTopUp,
  gasTopUpRequest,
  gasTopUpStatus,
} from "@slipway/protocol/gas";
import { bytes32 } from "@slipway/protocol/primitives";
import type { Hex } from "viem";
import { z } from "zod";
import type { Deps } from "../../deps.ts";
import { readReceipts, toOutcome } from "../../relayer/processPendingTransactions.ts";
import { findTopUp } from "../../relayer/relayerTransactions.ts";
import { guardedRoute, type Route } from "../../route.ts";
import { chainErrors } from "../../transactions/unsignedResult.ts";
import { quoteTopUp } from "./quoteTopUp.ts";
import { relayTopUp } from "./relayTopUp.ts";

const unavailable = ["gas_station_unavailable", ...chainErrors] as const;

/** Routes that sell native for gas against a stablecoin to a wallet without native. */
export function gasRoutes(deps: Deps): Route[] {
  return [
    guardedRoute({
      method: "POST",
      path: "/gas/quote",
      scope: "transactions",
      name: "quoteGas",
      tag: "Gas",
      summary: "Price the native asset that a wallet lacks for a gas limit",
      description:
        "In an accepted stablecoin, by the ETH/USD pool's quoter and a markup, compared with the pool's mean. Good for " +
        "three minutes of the chain's time and for one top-up. `typed_data` and `permit_typed_data` are for " +
        "`eth_signTypedData_v4`; null when nothing is short. `next` says what to do.",
      schemas: { body: gasQuoteRequest },
      refusedBodyStatus: 422,
      answers: { 200: { description: "The quote", schema: gasQuote } },
      errors: unavailable,
      handle: async ({ body, principal }) => await quoteTopUp(deps, principal.accountId, body),
    }),

    guardedRoute({
      method: "POST",
      path: "/gas/topup",
      scope: "transactions",
      name: "topUpGas",
      tag: "Gas",
      summary: "Relay a signed quote",
      description:
        "The station takes the quoted tokens and sends the quoted native in one step, or does neither. Signatures are " +
        "ECDSA by the wallet's own key: 65 bytes r, s, v with a low s; v 27 or 28, and 0 or 1 are taken for these. " +
        "Contract wallets cannot sign. A refused request does not use the quote up. Wait for the returned hash before " +
        "sending your own transaction.",
      schemas: { body: gasTopUpRequest },
      refusedBodyStatus: 422,
      answers: { 200: { description: "The top-up was sent", schema: gasTopUp } },
      errors: [
        "quote_expired",
        "quote_consumed",
        "signature_invalid",
        "insufficient_balance",
        "simulation_reverted",
        "rate_limited",
        ...unavailable,
      ],
      handle: async ({ body, principal, clientAddress }) =>
        await relayTopUp(deps, { accountId: principal.accountId, clientAddress }, body),
    }),

    guardedRoute({
      method: "GET",
      path: "/gas/topups/:hash",
      name: "getTopUp",
      tag: "Gas",
      summary: "Get what became of a top-up",
      description: "`replaced`: `hash` is the transaction that replaced it.",
      schemas: { params: z.object({ hash: bytes32.describe("The hash that the top-up was answered with.") }) },
      answers: { 200: { description: "Its state on the chain", schema: gasTopUpStatus } },
      errors: ["invalid_request", "not_found", "chain_unavailable", "storage_unavailable"],
      handle: async ({ params, principal }) => await getTopUpStatus(deps, principal.accountId, params.hash as Hex),
    }),
  ];
}

/**
 * Returns the state of a top-up of the account, by the hash of its response. Reads the receipt of one that is not
 * known to be mined.
 *
 * @throws SlipwayError `not_found`, `chain_unavailable`.
 */
export async function getTopUpStatus(deps: Deps, accountId: string, requested: Hex): Promise<GasTopUpStatus> {
  const hash = requested.toLowerCase() as Hex;
  const stored = await findTopUp(deps.db.api, accountId, hash);
  if (stored === null) throw new SlipwayError("not_found", "No top-up of yours has this hash.");
  let { state, minedHash, blockNumber } = stored;
  if (state === "sent") {
    const [mined] = await readReceipts(deps.chain, [stored]);
    if (mined) ({ state, minedHash, blockNumber } = { ...toOutcome(mined), blockNumber: Number(mined.blockNumber) });
  }
  const block = blockNumber === null ? null : blockNumber.toString();
  const latest = stored.attempts.at(-1)!;
  // The mined attempt, or the latest one.
  const current = minedHash ?? (state === "sent" ? latest.hash : hash);
  if (current !== hash) return { status: "replaced", hash: current, block_number: block };
  return { status: state === "sent" ? "pending" : state, hash, block_number: block };
}
