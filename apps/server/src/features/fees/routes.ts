import { checksummed } from "@slipway/protocol/primitives";
import { claimRequest, feePositions, feePositionsQuery, unsignedResult } from "@slipway/protocol/transaction";
import { getProvenManifest } from "../../chain/readChain.ts";
import type { Deps } from "../../deps.ts";
import { guardedRoute, type Route } from "../../route.ts";
import { chainErrors } from "../../transactions/unsignedResult.ts";
import { prepareClaim } from "./prepareClaim.ts";
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
        "settle and release take both. When a stage would move nothing, `status` is `nothing_to_do`.",
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
        "Exact at `as_of_block`. `credited` waits at the locker for a settlement, `claimable` at the splitter for a " +
        "release, `claimed` was paid. Fees that the pool has not paid out yet are not estimated.",
      schemas: { query: feePositionsQuery },
      answers: { 200: { description: "The positions", schema: feePositions } },
      errors: [...errors],
      handle: async ({ query }) => await readPositions(deps, checksummed(query.token), checksummed(query.wallet)),
    }),
  ];
}
