import { checksummed } from "@slipway/protocol/primitives";
import { splitRequest, unsignedResult } from "@slipway/protocol/transaction";
import { chainErrors } from "../../transactions/unsignedResult.ts";
import { getProvenManifest } from "../../chain/readChain.ts";
import { loadDraft } from "../../transactions/queries.ts";
import type { Deps } from "../../deps.ts";
import { guardedRoute, type Route } from "../../route.ts";
import { prepareSplitter } from "./prepareSplitter.ts";

/** The route that prepares the deployment of a draft's fee splitter. */
export function splitsRoutes(deps: Deps): Route[] {
  return [
    guardedRoute({
      method: "POST",
      path: "/splits/transactions",
      scope: "transactions",
      name: "prepareSplitter",
      tag: "Launch",
      summary: "Prepare the deployment of a draft's immutable fee splitter",
      description:
        "Answers an unsigned contract creation of exactly the pinned splitter code with the draft's recipients. " +
        "`expected.splitter` holds for the account nonce that stands beside it. A draft that cannot be launched is " +
        "refused here, before its splitter costs gas.",
      schemas: { body: splitRequest },
      answers: { 200: { description: "The transaction to sign", schema: unsignedResult } },
      errors: [
        "draft_not_found",
        "chain_mismatch",
        "fee_tier_not_launchable",
        "invalid_fields",
        "recipients_required",
        "address_checksum",
        "recipient_cannot_receive",
        "simulation_reverted",
        ...chainErrors,
      ],
      handle: async ({ body, principal, requestId }) => {
        const proven = getProvenManifest(deps.chain);
        const draft = await loadDraft(deps.db.api, principal.accountId, body.intent_id);
        return await prepareSplitter(deps, proven, draft, checksummed(body.wallet), requestId);
      },
    }),
  ];
}
