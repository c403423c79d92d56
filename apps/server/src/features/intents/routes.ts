import { createHash } from "node:crypto";
import { canonicalJson } from "@slipway/protocol/canonicalJson";
import { SlipwayError } from "@slipway/protocol/errors";
import { checkAllocations, type Draft, draft, draftList, idempotencyKey, intent } from "@slipway/protocol/intent";
import { z } from "zod";
import type { Deps } from "../../deps.ts";
import { guardedRoute, type Route } from "../../route.ts";
import { createContentWarnings } from "../../transactions/draftWarnings.ts";
import { prepareIntent } from "./prepareIntent.ts";
import { findIntentByKey, insertIntent, type IntentRow, listIntents } from "./queries.ts";

/** Converts drafts to the wire format, with their warnings now. */
async function toDrafts(deps: Deps, rows: readonly IntentRow[]): Promise<Draft[]> {
  const warnings = await createContentWarnings(
    deps.db.api,
    rows.map(({ intent }) => intent),
  );
  return rows.map((row, index) => ({
    id: row.id,
    status: "draft",
    intent: row.intent,
    created_at: row.created_at.toISOString(),
    transaction: null,
    warnings: warnings[index]!,
  }));
}

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
        "Idempotency-Key answers 200 with the stored draft, other content 409. A refused request does not use the key.",
      schemas: { headers: z.object({ "idempotency-key": idempotencyKey }), body: intent },
      answers: {
        201: { description: "The draft was stored", schema: draft },
        200: { description: "The same request was made before; the stored draft", schema: draft },
      },
      errors: ["shares_not_10000", "duplicate_recipient", "idempotency_key_reused", "storage_unavailable"],
      handle: async ({ headers, body, principal, request, reply }) => {
        checkAllocations(body.recipients ?? []);
        const key = { accountId: principal.accountId, idempotencyKey: headers["idempotency-key"] };
        // The hash covers the body before defaults, so that a changed default does not break retries.
        const bodyHash = createHash("sha256").update(canonicalJson(request.sentBody)).digest();

        const stored = await insertIntent(deps.db.api, {
          ...key,
          id: deps.ids.uuid(),
          bodyHash,
          intent: prepareIntent(body),
        });
        if (stored) {
          reply.code(201);
          return (await toDrafts(deps, [stored]))[0]!;
        }
        const earlier = await findIntentByKey(deps.db.api, key.accountId, key.idempotencyKey);
        if (!earlier?.body_hash.equals(bodyHash)) throw new SlipwayError("idempotency_key_reused");
        return (await toDrafts(deps, [earlier]))[0]!;
      },
    }),

    guardedRoute({
      method: "GET",
      path: "/intents",
      name: "listIntents",
      tag: "Launch",
      summary: "List the latest 50 drafts of the account, newest first",
      answers: { 200: { description: "The drafts", schema: draftList } },
      errors: ["storage_unavailable"],
      handle: async ({ principal }) => ({
        items: await toDrafts(deps, await listIntents(deps.db.api, principal.accountId)),
      }),
    }),
  ];
}
