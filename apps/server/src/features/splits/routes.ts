import { checksummed } from "@slipway/protocol/primitives";
import { getProvenManifest } from "../../chain/readChain.ts";
import type { Deps } from "../../deps.ts";
import { createRoute, type Route } from "../../route.ts";
import { insertPreparedSplitter, loadDraft } from "../../transactions/queries.ts";
import { prepareSplitter } from "./prepareSplitter.ts";

/** The route that prepares the deployment of a draft's fee splitter. */
export function splitsRoutes(deps: Deps): Route[] {
  return [
    createRoute("prepareSplitter", {
      handle: async ({ body, principal, requestId }) => {
        const proven = getProvenManifest(deps.chain);
        const draft = await loadDraft(deps.db.api, principal.accountId, body.intent_id);
        const order = { wallet: checksummed(body.wallet), method: body.method };
        const result = await prepareSplitter(deps, proven, draft, order, requestId);
        const nonce = result.expected!.account_nonce;
        await insertPreparedSplitter(deps.db.api, {
          intentId: draft.id,
          wallet: order.wallet,
          method: nonce === undefined ? "factory" : "creation",
          accountNonce: nonce ?? 0,
        });
        return result;
      },
    }),
  ];
}
