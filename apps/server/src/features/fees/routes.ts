import { checkAddressChecksum } from "@slipway/protocol/addressChecksum";
import { SlipwayError } from "@slipway/protocol/errors";
import type { ClaimCallsResult, PayoutRequest } from "@slipway/protocol/fees";
import { checksummed } from "@slipway/protocol/primitives";
import { getProvenManifest } from "../../chain/readChain.ts";
import type { Deps } from "../../deps.ts";
import { createRoute, type Route } from "../../route.ts";
import { prepareClaim } from "./prepareClaim.ts";
import { prepareClaimCalls } from "./prepareClaimCalls.ts";
import { type PayoutOrder, preparePayout } from "./preparePayout.ts";
import { readPending } from "./readPending.ts";
import { readPositions } from "./readPositions.ts";
import { readWalletPending } from "./readWalletPending.ts";

/** Routes that collect, settle and release a launch's fees, and show the earnings of its payees. */
export function feesRoutes(deps: Deps): Route[] {
  return [
    createRoute("prepareFeeClaim", {
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

    createRoute("getFeePositions", {
      handle: async ({ query }) => await readPositions(deps, checksummed(query.token), checksummed(query.wallet)),
    }),

    createRoute("getFeePending", {
      limit: "write",
      handle: async ({ query }) => await readPending(deps, checksummed(query.token)),
    }),

    createRoute("listFeePending", {
      limit: "write",
      handle: async ({ params, query: { limit, cursor = null } }) =>
        await readWalletPending(deps, { wallet: checksummed(params.address), after: cursor, limit }),
    }),

    createRoute("prepareClaimCalls", {
      handle: async ({ body, requestId }) => {
        const order = {
          wallet: checksummed(body.wallet),
          tokens: body.tokens.map(checksummed),
          unwraps: body.unwrap ?? false,
          stages: body.stages ?? ("all" as const),
        };
        const proven = getProvenManifest(deps.chain);
        return (await prepareClaimCalls(deps, proven, order, requestId)) as ClaimCallsResult;
      },
    }),

    createRoute("preparePayout", {
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
