import { createHash } from "node:crypto";
import { canonicalJson } from "@slipway/protocol/canonicalJson";
import { SlipwayError } from "@slipway/protocol/errors";
import { checkAllocations } from "@slipway/protocol/intent";
import type { Deps } from "../../deps.ts";
import { createRoute, type Route } from "../../route.ts";
import { prepareIntent } from "./prepareIntent.ts";
import { deleteIntent, listIntents, storeIntent } from "./queries.ts";
import { toDrafts } from "./toDraft.ts";

/** Routes for the private launch drafts of the caller's account. */
export function intentsRoutes(deps: Deps): Route[] {
  return [
    createRoute("createIntent", {
      handle: async ({ headers, body, principal, request, reply }) => {
        checkAllocations(body.recipients ?? []);
        const key = { accountId: principal.accountId, idempotencyKey: headers["idempotency-key"] };
        // The hash covers the body before defaults, so that a changed default does not break retries.
        const bodyHash = createHash("sha256").update(canonicalJson(request.sentBody)).digest();

        const row = { ...key, id: deps.ids.uuid(), bodyHash, intent: prepareIntent(body) };
        const { stored, isNew } = await storeIntent(deps.db, row);
        if (!stored.body_hash.equals(bodyHash)) throw new SlipwayError("idempotency_key_reused");
        if (isNew) reply.code(201);
        return (await toDrafts(deps, [stored]))[0]!;
      },
    }),

    createRoute("listIntents", {
      handle: async ({ query, principal }) => {
        const { rows, nextBefore } = await listIntents(deps.db.api, principal.accountId, query.before);
        return { items: await toDrafts(deps, rows), next_before: nextBefore };
      },
    }),

    createRoute("deleteIntent", {
      handle: async ({ params, principal }) => {
        if (!(await deleteIntent(deps.db.api, principal.accountId, params.id))) throw new SlipwayError("not_found");
        return { removed: true };
      },
    }),
  ];
}
