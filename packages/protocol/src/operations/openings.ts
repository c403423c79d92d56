import { z } from "zod";
import {
  openingAuthorization,
  openingAuthorizationRequest,
  openingClaimRequest,
  openingClosingRequest,
  openingDepositRequest,
  openingDeposits,
  openingDepositsQuery,
  openingDetail,
  openingLaunchRequest,
  openingList,
  openingQuery,
  openingRequest,
  openingsQuery,
} from "../openings.ts";
import { evmAddress } from "../primitives.ts";
import { unsignedResult } from "../transaction.ts";
import { chainErrors, type OperationDefinition } from "./operationDefinition.ts";

const params = z.object({ address: evmAddress.describe("The address of an opening.") });

/** Errors of the operations that prepare the launch of an opening. */
const launchErrors = [
  "opening_not_indexed",
  "opening_not_ready",
  "opening_expired",
  "opening_closed",
  "opening_value_out_of_range",
  "pool_taken",
  "signature_invalid",
  "simulation_reverted",
  ...chainErrors,
] as const;

/** Operations on openings: launches whose first buy is made by many depositors at one price. */
export const openingsOperations = {
  listOpenings: {
    tag: "Launch",
    summary: "List openings, newest first",
    description:
      "An opening collects deposits for a launch that did not happen yet. The launch spends them in one buy, so that " +
      "every depositor gets tokens at the same price. `if_opened_now` has that price for the current deposits.",
    query: openingsQuery,
    answers: { 200: { description: "The openings", schema: openingList } },
    errors: ["index_unavailable", "storage_unavailable"],
  },

  getOpening: {
    tag: "Launch",
    summary: "Get an opening, and the part of an account",
    description:
      "`account` in the query adds the deposit of that account and what it can claim. The data are those of the last " +
      "indexed block; a transaction of another depositor changes shares and prices until the launch.",
    params,
    query: openingQuery,
    answers: { 200: { description: "The opening", schema: openingDetail } },
    errors: ["opening_not_indexed", "index_unavailable", "storage_unavailable"],
  },

  listOpeningDeposits: {
    tag: "Launch",
    summary: "List the deposits of an opening, newest first",
    params,
    query: openingDepositsQuery,
    answers: { 200: { description: "The deposits", schema: openingDeposits } },
    errors: ["opening_not_indexed", "index_unavailable", "storage_unavailable"],
  },

  prepareOpening: {
    tag: "Launch",
    summary: "Prepare the creation of an opening for a draft",
    description:
      "The transaction creates a contract without an owner that accepts deposits until `deadline`. Its terms cannot be " +
      "changed. `expected.opening` is its address. The draft must have no initial buy, " +
      "its creator must be `wallet`, and its splitter must exist at the splitter factory (`POST /splits/transactions` " +
      "with `method` `factory`). If the opening exists, `status` is `nothing_to_do`.",
    body: openingRequest,
    scope: "transactions",
    answers: { 200: { description: "The transaction to sign, or nothing to do", schema: unsignedResult } },
    errors: [
      "draft_not_found",
      "chain_mismatch",
      "fee_tier_not_launchable",
      "invalid_fields",
      "recipients_required",
      "recipient_cannot_receive",
      "splitter_not_deployed",
      "simulation_reverted",
      ...chainErrors,
    ],
  },

  prepareOpeningDeposit: {
    tag: "Launch",
    summary: "Prepare a deposit into an opening",
    description:
      "The transaction sends `amount` of native to the opening. The deposit cannot be taken back before the deadline. " +
      "Afterwards it is refunded, unless the token was launched: then the account gets tokens, and the part that was not " +
      "spent.",
    params,
    body: openingDepositRequest,
    scope: "transactions",
    answers: { 200: { description: "The transaction to sign", schema: unsignedResult } },
    errors: [
      "opening_not_indexed",
      "opening_expired",
      "opening_closed",
      "insufficient_balance",
      "simulation_reverted",
      ...chainErrors,
    ],
  },

  prepareOpeningClaim: {
    tag: "Launch",
    summary: "Prepare the claim of a depositor's tokens and refund",
    description:
      "Any wallet can send the transaction; it pays the depositor. `expected.amounts` has the tokens and the native. If " +
      "nothing can be claimed, `status` is `nothing_to_do`: before the launch and before the deadline, and after a claim.",
    params,
    body: openingClaimRequest,
    scope: "transactions",
    answers: { 200: { description: "The transaction to sign, or nothing to do", schema: unsignedResult } },
    errors: [
      "opening_not_indexed",
      "invalid_fields",
      "recipient_cannot_receive",
      "simulation_reverted",
      ...chainErrors,
    ],
  },

  authorizeOpening: {
    tag: "Launch",
    summary: "Get the typed data by which the creator launches an opening",
    description:
      "The creator signs `launchFor` of the launch factory: the token's parameters with a random salt, the opening as the " +
      "recipient of the first buy, its exact output as the minimum, `value`, and the opening's deadline. The signature stays valid until " +
      "the deadline, unless the creator cancels it (`POST /launch/cancel/transactions`). Send it with " +
      "`POST /openings/{address}/open/transactions`; any wallet can. If another account has created the pool of the " +
      "token at another price (`pool_taken`), cancel, and sign the typed data of a new request, with another salt.",
    params,
    body: openingAuthorizationRequest,
    scope: "transactions",
    answers: { 200: { description: "The typed data that the creator signs", schema: openingAuthorization } },
    errors: [...launchErrors, "draft_not_found", "invalid_fields", "salt_taken"],
  },

  prepareOpeningLaunch: {
    tag: "Launch",
    summary: "Prepare the launch of an opening's token with the creator's signature",
    description:
      "The transaction launches the token, and spends `value` of the deposits in the first trade of its pool. Any wallet " +
      "can send it, and pays only for gas. `expected` has the token, the pool, and the exact amount of tokens.",
    params,
    body: openingLaunchRequest,
    scope: "transactions",
    answers: { 200: { description: "The transaction to sign", schema: unsignedResult } },
    errors: [...launchErrors, "authorization_cancelled", "salt_taken"],
  },

  prepareOpeningClosing: {
    tag: "Launch",
    summary: "Prepare the closing of an opening whose token was launched without it",
    description:
      "Any wallet can send the transaction once `other_launch` of the opening is not null. Deposits are then refunded " +
      "before the deadline, and tokens that arrived at the opening are shared. If the opening has ended, `status` is " +
      "`nothing_to_do`.",
    params,
    body: openingClosingRequest,
    scope: "transactions",
    answers: { 200: { description: "The transaction to sign, or nothing to do", schema: unsignedResult } },
    errors: ["opening_not_indexed", "opening_not_launched", "simulation_reverted", ...chainErrors],
  },
} satisfies Record<string, OperationDefinition>;
