import { checkAddressChecksum } from "@slipway/protocol/addressChecksum";
import { SlipwayError } from "@slipway/protocol/errors";
import {
  claimCallsRequest,
  claimCallsResult,
  feePending,
  feePendingQuery,
  type PayoutRequest,
  payoutRequest,
} from "@slipway/protocol/fees";
import { checksummed } from "@slipway/protocol/primitives";
import { claimRequest, feePositions, feePositionsQuery, unsignedResult } from "@slipway/protocol/transaction";
import { getProvenManifest } from "../../chain/readChain.ts";
import type { Deps } from "../../deps.ts";
import { guardedRoute, type Route } from "../../route.ts";
import { chainErrors } from "../../transactions/unsignedResult.ts";
import { prepareClaim } from "./prepareClaim.ts";
import { prepareClaimCalls } from "./prepareClaimCalls.ts";
import { type PayoutOrder, preparePayout } from "./preparePayout.ts";
import { readPending } from "./readPending.ts";
import { readPositions } from "./readPositions.ts";

const errors = ["pool_not_supported", "splitter_mismatch", ...chainErrors] as const;

/** Routes that collect, settle and release a launch's fees, and show the earnings of its payees. */
export function feesRoutes(deps: Deps): Route[] {
  return [
    guardedRoute({
      method: "POST",
      path: "/fees/claim-transactions",
      scope: "transactions",
      name: "prepareFeeClaim",
      tag: "Fees",
      summary: "Prepare one stage of fee collection, settlement or release",
      description:
        "`collect` turns the pool's fees into credits, `settle` pays the credits to splitter and treasury, `release` " +
        "pays a recipient. Any wallet may send any stage; the money goes where the launch said. Without `asset`, " +
        "settle and release take both. A payment of a settlement that fails stays owed (`payment_owed`); settle pays it " +
        "once nothing else is to settle. A release goes to the recipient's payout, which `expected.amounts[].to` names. " +
        "When a stage would move nothing, `status` is `nothing_to_do`.",
      schemas: { body: claimRequest },
      answers: { 200: { description: "The transaction to sign, or nothing to do", schema: unsignedResult } },
      errors: [...errors, "not_recipient", "simulation_reverted"],
      handle: async ({ body, requestId }) => {
        const order = {
          stage: body.stage,
          token: checksummed(body.token),
          wallet: checksummed(body.wallet),
          recipient: checksummed(body.recipient ?? body.wallet),
          ...(body.asset === undefined ? {} : { asset: checksummed(body.asset) }),
        };
        return await prepareClaim(deps, getProvenManifest(deps.chain), order, requestId);
      },
    }),

    guardedRoute({
      method: "GET",
      path: "/fees/positions",
      name: "getFeePositions",
      tag: "Fees",
      summary: "Show what a wallet and every recipient have earned of a token",
      description:
        "Exact at `as_of_block`. `credited` waits at the locker for a settlement, also where it is owed because a payment " +
        "failed; `claimable` waits at the splitter for a release; `claimed` was paid. `payout` is the address that a " +
        "recipient has its releases paid to. Fees that the pool has not paid out yet are not estimated.",
      schemas: { query: feePositionsQuery },
      answers: { 200: { description: "The positions", schema: feePositions } },
      errors: [...errors],
      handle: async ({ query }) => await readPositions(deps, checksummed(query.token), checksummed(query.wallet)),
    }),

    guardedRoute({
      method: "GET",
      path: "/fees/pending",
      scope: "read",
      name: "getFeePending",
      tag: "Fees",
      summary: "Show what a collection would collect of a token now",
      description:
        "Exact at `as_of_block`, by simulation of the collection. `amount` is the sum of the parts of protocol, partner " +
        "and collaborators. `recipients` divide the collaborators' part; what was collected before is in " +
        "`GET /fees/positions`.",
      schemas: { query: feePendingQuery },
      answers: { 200: { description: "What would be collected", schema: feePending } },
      errors: [...errors, "simulation_reverted"],
      handle: async ({ query }) => await readPending(deps, checksummed(query.token)),
    }),

    guardedRoute({
      method: "POST",
      path: "/fees/claim-calls",
      scope: "transactions",
      name: "prepareClaimCalls",
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
      schemas: { body: claimCallsRequest },
      answers: { 200: { description: "The transaction and the batch, or nothing to do", schema: claimCallsResult } },
      errors: [...errors, "not_recipient", "simulation_reverted"],
      handle: async ({ body, requestId }) => {
        const order = {
          wallet: checksummed(body.wallet),
          tokens: body.tokens.map(checksummed),
          unwraps: body.unwrap ?? false,
          stages: body.stages ?? ("all" as const),
        };
        return await prepareClaimCalls(deps, getProvenManifest(deps.chain), order, requestId);
      },
    }),

    guardedRoute({
      method: "POST",
      path: "/fees/payout-transactions",
      scope: "transactions",
      name: "preparePayout",
      tag: "Fees",
      summary: "Prepare the transaction by which a recipient has its part paid elsewhere",
      description:
        "From then on every release of the wallet's part by this token's splitter pays `payout`, also of what is claimable " +
        "already; null puts it back to the wallet. Only the wallet itself can send it. The warning `payout_changed` names " +
        "splitter and receiver. When it is paid there already, `status` is `nothing_to_do`.",
      schemas: { body: payoutRequest },
      answers: { 200: { description: "The transaction to sign, or nothing to do", schema: unsignedResult } },
      errors: [...errors, "address_checksum", "recipient_cannot_receive", "not_recipient", "simulation_reverted"],
      handle: async ({ body, requestId }) =>
        await preparePayout(deps, getProvenManifest(deps.chain), toPayoutOrder(body), requestId),
    }),
  ];
}

/** @throws SlipwayError `address_checksum` for a payout with a wrong EIP-55 checksum. */
function toPayoutOrder({ token, wallet, payout }: PayoutRequest): PayoutOrder {
  const checksum = payout === null ? null : checkAddressChecksum(payout);
  if (checksum?.status === "wrong") {
    throw new SlipwayError(
      "address_checksum",
      `The checksum of ${payout} is wrong: a digit was mistyped, or the case was changed.`,
      { field: "payout", details: { wallet: payout, checksummed: checksum.checksummed } },
    );
  }
  return {
    token: checksummed(token),
    wallet: checksummed(wallet),
    payout: payout === null ? null : checksummed(payout),
  };
}
