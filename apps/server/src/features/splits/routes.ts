import { checksummed } from "@slipway/protocol/primitives";
import { getProvenManifest } from "../../chain/readChain.ts";
import type { Deps } from "../../deps.ts";
import { createRoute, type Route } from "../../route.ts";
import { insertPreparedSplitter, loadDraft } from "../../transactions/queries.ts";
import { createSplitOrder, prepareSplitter } from "./prepareSplitter.ts";

/** Creates the route that prepares the deployment of a draft's fee splitter. */
export function splitsRoutes(deps: Deps): Route[] {
  return [
    createRoute("prepareSplitter", {
      handle: async ({ body, principal, requestId }) => {
        const proven = getProvenManifest(deps.chain);
        const draft = await loadDraft(deps.db.api, principal.accountId, body.intent_id);
        const request = { draft, wallet: checksummed(body.wallet), method: body.method };
        const order = createSplitOrder(proven.manifest, request);
        const result = await prepareSplitter(deps, proven, order, requestId);
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
