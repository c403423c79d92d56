import {
  claimCallsRequest,
  claimCallsResult,
  feePending,
  feePendingQuery,
  payoutRequest,
  walletFeePending,
  walletFeePendingQuery,
} from "../fees.ts";
import { recipient, recipientQuery, walletParams } from "../people.ts";
import { claimRequest, feePositions, feePositionsQuery, unsignedResult } from "../transaction.ts";
import { chainErrors, type OperationDefinition } from "./operationDefinition.ts";

const feeErrors = ["pool_not_supported", "splitter_mismatch", ...chainErrors] as const;

/** Operations on the fees of a launch and their recipients. */
export const feesOperations = {
  prepareFeeClaim: {
    tag: "Fees",
    summary: "Prepare one stage of a fee claim: collect, settle or release",
    description:
      "`collect` turns the fees of the pool into credits, `settle` pays the credits to the splitter and the " +
      "treasury, and `release` pays a recipient. Any wallet can send any stage; the payees are fixed by the launch. " +
      "Without `asset`, settle and release cover both assets. If a payment of a settlement fails, it stays owed " +
      "(`payment_owed`); settle pays it when nothing else is left to settle. A release pays the payout address of " +
      "the recipient, which is `expected.amounts[].to`. If a stage would move nothing, `status` is `nothing_to_do`.",
    body: claimRequest,
    scope: "transactions",
    answers: { 200: { description: "The transaction to sign, or nothing to do", schema: unsignedResult } },
    errors: [...feeErrors, "not_recipient", "simulation_reverted"],
  },

  getFeePositions: {
    tag: "Fees",
    summary: "Get the earnings of a wallet and of all recipients of a token",
    description:
      "Exact at `as_of_block`. `credited` waits in the locker for a settlement, or for another attempt after a " +
      "failed payment; `claimable` waits in the splitter for a release; `claimed` has been paid. `payout` is the " +
      "address that receives the releases of a recipient. Fees that are still in the pool are not included.",
    query: feePositionsQuery,
    answers: { 200: { description: "The earnings", schema: feePositions } },
    errors: feeErrors,
  },

  getFeePending: {
    tag: "Fees",
    summary: "Get the fees that a collection of a token would collect now",
    description:
      "Exact at `as_of_block`, from a simulation of the collection. `amount` is the sum of the shares of the " +
      "protocol, the partner and the collaborators. `recipients` divide the share of the collaborators. `GET " +
      "/fees/positions` has the fees that were collected earlier.",
    query: feePendingQuery,
    scope: "read",
    answers: { 200: { description: "The fees that would be collected", schema: feePending } },
    errors: [...feeErrors, "simulation_reverted"],
  },

  listFeePending: {
    tag: "Fees",
    summary: "List the fees that collections would bring a wallet, of all its tokens",
    description:
      "The launches whose proven splitter pays the wallet, with what the wallet can claim after a collection of each, by " +
      "simulation. A token that cannot be collected has an `error`, and the others are listed. Launches that share a " +
      "splitter share the wrapped native token of the splitter.",
    params: walletParams,
    query: walletFeePendingQuery,
    scope: "read",
    answers: { 200: { description: "A page of the pending fees", schema: walletFeePending } },
    errors: ["cursor_expired", ...chainErrors],
  },

  prepareClaimCalls: {
    tag: "Fees",
    summary: "Prepare a wallet's claim on up to 20 tokens, as one transaction and as one batch",
    description:
      "Collects, settles and releases the fees of every listed token. Calls that would pay the wallet nothing are " +
      "left out, and each splitter is released once. `transaction` makes all calls through Multicall3; every call " +
      "must succeed. `calls` has the same calls for `wallet_sendCalls` (EIP-5792). If one transaction cannot do the " +
      "same, it is null and there is the warning `calls_only`. `unwrap` pays in native; a receiver that is a " +
      "contract is paid in native only if the wallet sends the call itself. A call that fails is left out and " +
      "reported (`claim_failed`). `expected.amounts` are the amounts that arrive, checked by the simulation. Anyone " +
      "can send the request and the calls; the fees go to the wallet or to its payout address.",
    body: claimCallsRequest,
    scope: "transactions",
    answers: { 200: { description: "The transaction and the batch, or nothing to do", schema: claimCallsResult } },
    errors: [...feeErrors, "not_recipient", "simulation_reverted"],
  },

  preparePayout: {
    tag: "Fees",
    summary: "Prepare the transaction that changes a recipient's payout address",
    description:
      "After it, every release of the wallet's share by this token's splitter pays `payout`, including amounts that " +
      "are already claimable. `payout` null pays the wallet again. Only the wallet can send the transaction. The " +
      "warning `payout_changed` has the splitter and the new receiver. If `payout` is already the payout address, " +
      "`status` is `nothing_to_do`.",
    body: payoutRequest,
    scope: "transactions",
    answers: { 200: { description: "The transaction to sign, or nothing to do", schema: unsignedResult } },
    errors: [...feeErrors, "address_checksum", "recipient_cannot_receive", "not_recipient", "simulation_reverted"],
  },

  findRecipient: {
    tag: "Fees",
    summary: "Find the payout wallet of a handle",
    description:
      "The account that has verified the handle must have chosen a payout wallet (`PATCH /api/account`). Otherwise " +
      "the answer is 404. A handle can change its owner, so request it right before you use it.",
    query: recipientQuery,
    answers: { 200: { description: "The wallet", schema: recipient } },
    errors: ["recipient_not_found", "storage_unavailable"],
  },
} satisfies Record<string, OperationDefinition>;
