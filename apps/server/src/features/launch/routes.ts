import { checksummed } from "@slipway/protocol/primitives";
import { launchRequest, unsignedResult } from "@slipway/protocol/transaction";
import { chainErrors } from "../../transactions/unsignedResult.ts";
import { getProvenManifest } from "../../chain/readChain.ts";
import { findLaunchedTokens, insertPreparedLaunch, loadDraft } from "../../transactions/queries.ts";
import type { Deps } from "../../deps.ts";
import { guardedRoute, type Route } from "../../route.ts";
import { prepareLaunch } from "./prepareLaunch.ts";

/** The route that prepares the launch of a draft's token. */
export function launchRoutes(deps: Deps): Route[] {
  return [
    guardedRoute({
      method: "POST",
      path: "/launch/transactions",
      scope: "transactions",
      name: "prepareLaunch",
      tag: "Launch",
      summary: "Prepare the launch of a draft's token",
      description:
        "The splitter must be deployed and is proven by its deployment: the pinned code with exactly the draft's " +
        "recipients, in the draft's order. `expected` names the token and the pool that the launch will have; they " +
        "hold for this wallet and this salt.",
      schemas: { body: launchRequest },
      answers: { 200: { description: "The transaction to sign", schema: unsignedResult } },
      errors: [
        "draft_not_found",
        "chain_mismatch",
        "fee_tier_not_launchable",
        "invalid_fields",
        "recipients_required",
        "splitter_not_deployed",
        "splitter_mismatch",
        "pool_taken",
        "salt_taken",
        "simulation_reverted",
        ...chainErrors,
      ],
      handle: async ({ body, principal, requestId }) => {
        const proven = getProvenManifest(deps.chain);
        const draft = await loadDraft(deps.db.api, principal.accountId, body.intent_id);
        const order = {
          wallet: checksummed(body.wallet),
          splitter: checksummed(body.splitter),
          salt: body.salt.toLowerCase() as `0x${string}`,
        };
        const launchedBefore = await findLaunchedTokens(deps.db.api, draft.id);
        const result = await prepareLaunch(deps, proven, draft, order, launchedBefore, requestId);
        await insertPreparedLaunch(deps.db.api, {
          token: result.expected!.token!,
          intentId: draft.id,
          accountId: principal.accountId,
          wallet: order.wallet,
          splitter: order.splitter,
        });
        return result;
      },
    }),
  ];
}
