import { z } from "zod";
import { evmAddress } from "../primitives.ts";
import { unsignedResult } from "../transaction.ts";
import { tokenVesting, vestingReleaseRequest, vestingRequest } from "../vestings.ts";
import { chainErrors, type OperationDefinition } from "./operationDefinition.ts";

const tokenParams = z.object({ address: evmAddress.describe("The address of a launched token.") });

/** Operations on the vesting of an initial buy. */
export const vestingsOperations = {
  prepareVesting: {
    tag: "Launch",
    summary: "Prepare the creation of the vesting of a draft's initial buy",
    description:
      "The transaction calls the vesting factory. `expected.vesting` is the address, which depends on the draft, the " +
      "recipient of the initial buy and the dates, not on the sender. If the vesting exists, `status` is " +
      "`nothing_to_do`. `POST /launch/calls` includes this call in its batch; `POST /launch/transactions` needs the " +
      "vesting. Dates in the past are refused.",
    body: vestingRequest,
    scope: "transactions",
    answers: { 200: { description: "The transaction to sign, or nothing to do", schema: unsignedResult } },
    errors: [
      "draft_not_found",
      "chain_mismatch",
      "fee_tier_not_launchable",
      "invalid_fields",
      "recipients_required",
      "no_vesting",
      "recipient_cannot_receive",
      "simulation_reverted",
      ...chainErrors,
    ],
  },

  prepareVestingRelease: {
    tag: "Tokens",
    summary: "Prepare the release of the vested tokens of an initial buy",
    description:
      "Any wallet can send the transaction; it pays the beneficiary the part that is vested when the transaction is mined. " +
      "`expected.amounts` has the beneficiary and the amount that is vested at the newest block. If nothing is vested that " +
      "was not released, `status` is `nothing_to_do`.",
    body: vestingReleaseRequest,
    scope: "transactions",
    answers: { 200: { description: "The transaction to sign, or nothing to do", schema: unsignedResult } },
    errors: ["pool_not_supported", "no_vesting", "simulation_reverted", ...chainErrors],
  },

  getTokenVesting: {
    tag: "Tokens",
    summary: "Get the vesting of a token's initial buy",
    description:
      "The beneficiary of the tokens of the initial buy, the dates, and the released amount. Null unless the vesting " +
      "factory of the token's deployment has recorded the vesting, which no account can change or revoke. Read from the " +
      "chain at `as_of_block`.",
    params: tokenParams,
    answers: { 200: { description: "The vesting, or null", schema: tokenVesting } },
    errors: ["token_not_indexed", "index_unavailable", "storage_unavailable", ...chainErrors],
  },
} satisfies Record<string, OperationDefinition>;
