import { checksummed } from "@slipway/protocol/primitives";
import { splitRequest, unsignedResult } from "@slipway/protocol/transaction";
import { getProvenManifest } from "../../chain/readChain.ts";
import type { Deps } from "../../deps.ts";
import { guardedRoute, type Route } from "../../route.ts";
import { insertPreparedSplitter, loadDraft } from "../../transactions/queries.ts";
import { draftErrors } from "../../transactions/requireLaunchableDraft.ts";
import { chainErrors } from "../../transactions/unsignedResult.ts";
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
        "Answers an unsigned contract creation of exactly the pinned splitter code with the draft's recipients; " +
        "`expected.splitter` holds for the account nonce that stands beside it. For a wallet with code, and with " +
        "`method` `factory`, it is a call of the splitter factory, whose address for a draft depends on no nonce and " +
        "no sender; where that splitter exists, `status` is `nothing_to_do` with `expected.splitter`. A draft that " +
        "cannot be launched is refused here, before its splitter costs gas.",
      schemas: { body: splitRequest },
      answers: { 200: { description: "The transaction to sign, or nothing to do", schema: unsignedResult } },
      errors: [...draftErrors, "address_checksum", "recipient_cannot_receive", "simulation_reverted", ...chainErrors],
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
