import { claimCallsRequest, claimCallsResult, feePending, feePendingQuery, payoutRequest } from "../fees.ts";
import { recipient, recipientQuery } from "../people.ts";
import { claimRequest, feePositions, feePositionsQuery, unsignedResult } from "../transaction.ts";
import { chainErrors, type OperationDefinition } from "./operationDefinition.ts";

const feeErrors = ["pool_not_supported", "splitter_mismatch", ...chainErrors] as const;

/** Operations on the fees of a launch and their recipients. */
export const feesOperations = {
  prepareFeeClaim: {
    tag: "Fees",
    summary: "Prepare one stage of fee collection, settlement or release",
    description:
      "`collect` turns the pool's fees into credits, `settle` pays the credits to splitter and treasury, `release` " +
      "pays a recipient. Any wallet may send any stage; the money goes where the launch said. Without `asset`, " +
      "settle and release take both. A payment of a settlement that fails stays owed (`payment_owed`); settle pays it " +
      "once nothing else is to settle. A release goes to the recipient's payout, which `expected.amounts[].to` names. " +
      "When a stage would move nothing, `status` is `nothing_to_do`.",
    body: claimRequest,
    scope: "transactions",
    answers: { 200: { description: "The transaction to sign, or nothing to do", schema: unsignedResult } },
    errors: [...feeErrors, "not_recipient", "simulation_reverted"],
  },

  getFeePositions: {
    tag: "Fees",
    summary: "Show what a wallet and every recipient have earned of a token",
    description:
      "Exact at `as_of_block`. `credited` waits at the locker for a settlement, also where it is owed because a payment " +
      "failed; `claimable` waits at the splitter for a release; `claimed` was paid. `payout` is the address that a " +
      "recipient has its releases paid to. Fees that the pool has not paid out yet are not estimated.",
    query: feePositionsQuery,
    answers: { 200: { description: "The positions", schema: feePositions } },
    errors: feeErrors,
  },

  getFeePending: {
    tag: "Fees",
    summary: "Show what a collection would collect of a token now",
    description:
      "Exact at `as_of_block`, by simulation of the collection. `amount` is the sum of the parts of protocol, partner " +
      "and collaborators. `recipients` divide the collaborators' part; what was collected before is in " +
      "`GET /fees/positions`.",
    query: feePendingQuery,
    scope: "read",
    answers: { 200: { description: "What would be collected", schema: feePending } },
    errors: [...feeErrors, "simulation_reverted"],
  },

  prepareClaimCalls: {
    tag: "Fees",
    summary: "Prepare the claim of a wallet on up to 20 tokens, as one transaction and as one batch",
    description:
      "Collects, settles and releases on every named token; what would bring the wallet nothing is left out, and each " +
      "splitter is released from once. `transaction` is all calls through Multicall3, of which each must succeed; " +
      "`calls` is the same for `wallet_sendCalls` (EIP-5792). Where one transaction cannot do the same, it is null, with " +
      "the warning `calls_only`. `unwrap` pays native; a receiver that is a contract is paid native only when the " +
      "wallet itself sends the call. A call that fails is left out and named (`claim_failed`). " +
      "`expected.amounts` is what arrives, asserted by the simulation. Anyone may ask and send: the money goes to the " +
      "wallet, or where it has its part paid.",
    body: claimCallsRequest,
    scope: "transactions",
    answers: { 200: { description: "The transaction and the batch, or nothing to do", schema: claimCallsResult } },
    errors: [...feeErrors, "not_recipient", "simulation_reverted"],
  },

  preparePayout: {
    tag: "Fees",
    summary: "Prepare the transaction by which a recipient has its part paid elsewhere",
    description:
      "From then on every release of the wallet's part by this token's splitter pays `payout`, also of what is claimable " +
      "already; null puts it back to the wallet. Only the wallet itself can send it. The warning `payout_changed` names " +
      "splitter and receiver. When it is paid there already, `status` is `nothing_to_do`.",
    body: payoutRequest,
    scope: "transactions",
    answers: { 200: { description: "The transaction to sign, or nothing to do", schema: unsignedResult } },
    errors: [...feeErrors, "address_checksum", "recipient_cannot_receive", "not_recipient", "simulation_reverted"],
  },

  findRecipient: {
    tag: "Fees",
    summary: "Find the wallet that the owner of a handle has chosen",
    description:
      "The account that has proven the handle must have chosen a payout wallet (`PATCH /api/account`). Everything else " +
      "is 404: an unproven handle, and one whose account publishes no wallet. A handle can change hands: ask " +
      "at the time of use.",
    query: recipientQuery,
    answers: { 200: { description: "The wallet", schema: recipient } },
    errors: ["recipient_not_found", "storage_unavailable"],
  },
} satisfies Record<string, OperationDefinition>;
