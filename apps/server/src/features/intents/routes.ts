import { createHash } from "node:crypto";
import { removed } from "@slipway/protocol/accounts";
import { canonicalJson } from "@slipway/protocol/canonicalJson";
import { SlipwayError } from "@slipway/protocol/errors";
import { checkAllocations, draft, draftList, draftsQuery, idempotencyKey, intent } from "@slipway/protocol/intent";
import { z } from "zod";
import type { Deps } from "../../deps.ts";
import { guardedRoute, type Route } from "../../route.ts";
import { prepareIntent } from "./prepareIntent.ts";
import { deleteIntent, listIntents, storeIntent } from "./queries.ts";
import { toDrafts } from "./toDraft.ts";

/** Routes for the private launch drafts of the caller's account. */
export function intentsRoutes(deps: Deps): Route[] {
  return [
    guardedRoute({
      method: "POST",
      path: "/intents",
      name: "createIntent",
      tag: "Launch",
      summary: "Store a private launch draft",
      description:
        "Validates and persists a private draft; does not launch a token. The answer holds what a launch writes on " +
        "chain: name and URIs are normalised, and refused where they do not show as what they are. An identical retry with the same " +
        "Idempotency-Key answers 200 with the stored draft, other content 409. A refused request does not use the key. An account has at most 1,000 drafts.",
      schemas: { headers: z.object({ "idempotency-key": idempotencyKey }), body: intent },
      answers: {
        201: { description: "The draft was stored", schema: draft },
        200: { description: "The same request was made before; the stored draft", schema: draft },
      },
      errors: [
        "shares_not_10000",
        "duplicate_recipient",
        "too_many_drafts",
        "idempotency_key_reused",
        "storage_unavailable",
      ],
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

    guardedRoute({
      method: "GET",
      path: "/intents",
      name: "listIntents",
      tag: "Launch",
      summary: "List the latest 50 drafts of the account, newest first",
      description: "`before` requests the next 50: `next_before` of the previous page, null at the end.",
      schemas: { query: draftsQuery },
      answers: { 200: { description: "The drafts", schema: draftList } },
      errors: ["storage_unavailable"],
      handle: async ({ query, principal }) => {
        const { rows, nextBefore } = await listIntents(deps.db.api, principal.accountId, query.before);
        return { items: await toDrafts(deps, rows), next_before: nextBefore };
      },
    }),

    guardedRoute({
      method: "DELETE",
      path: "/intents/:id",
      name: "deleteIntent",
      tag: "Launch",
      summary: "Delete a draft",
      description:
        "Also one that was launched: the launch stays on the chain, and the labels of its recipients are not shown any more. " +
        "The draft's Idempotency-Key may be used again. Transactions that were prepared from it stay valid.",
      schemas: { params: z.object({ id: z.uuid().describe("The id of one of the account's drafts.") }) },
      answers: { 200: { description: "Deleted", schema: removed } },
      errors: ["invalid_request", "not_found", "storage_unavailable"],
      handle: async ({ params, principal }) => {
        if (!(await deleteIntent(deps.db.api, principal.accountId, params.id))) throw new SlipwayError("not_found");
        return { removed: true };
      },
    }),
  ];
}
