import { createHash } from "node:crypto";
import { canonicalJson } from "@slipway/protocol/canonicalJson";
import { SlipwayError } from "@slipway/protocol/errors";
import type { Deps } from "../../deps.ts";
import { isPublicUrl } from "../../providers/untrustedFetch/addressPolicy.ts";
import { parseUntrustedUrl } from "../../providers/untrustedFetch/untrustedFetch.ts";
import { UntrustedFetchError } from "../../providers/untrustedFetch/untrustedFetchError.ts";
import { createRoute, type Route } from "../../route.ts";
import {
  changeWebhook,
  type DeliveryRow,
  deleteWebhook,
  getMaxWebhooks,
  listDeliveries,
  listWebhooks,
  queueTest,
  replayWebhook,
  rotateSecret,
  storeWebhook,
  type WebhookRow,
} from "./queries.ts";
import { createWebhookSecrets, toSecretText, type WebhookSecrets } from "./webhookSecrets.ts";

/** Routes of webhooks. */
export function webhooksRoutes(deps: Deps): Route[] {
  const { config, db, ids } = deps;
  const secrets = config.AUTH_SECRET === undefined ? null : createWebhookSecrets(config.AUTH_SECRET, ids);

  /** @throws SlipwayError `provider_unavailable`. */
  const requireSecrets = (): WebhookSecrets => {
    if (secrets !== null) return secrets;
    throw new SlipwayError("provider_unavailable", "The operator has not configured AUTH_SECRET, which webhooks need.");
  };

  return [
    createRoute("createWebhook", {
      handle: async ({ headers, body, principal: { accountId }, request, reply }) => {
        const endpoint = parseEndpoint(body.url);
        const id = ids.uuid();
        const { secret, sealed } = requireSecrets().create(id);
        const bodyHash = createHash("sha256").update(canonicalJson(request.sentBody)).digest();
        const key = headers["idempotency-key"];
        const row = { id, accountId, idempotencyKey: key, bodyHash, ...endpoint, subject: body.subject, sealed };
        const stored = await storeWebhook(db.api, row);
        if (!stored.isNew) return { id: stored.id, secret: null };
        reply.code(201);
        return { id, secret: toSecretText(secret) };
      },
    }),

    createRoute("listWebhooks", {
      handle: async ({ principal: { accountId } }) => ({
        items: (await listWebhooks(db.api, accountId)).map(toWebhook),
        max: await getMaxWebhooks(db.api, accountId),
      }),
    }),

    createRoute("changeWebhook", {
      handle: async ({ params, body, principal: { accountId } }) => {
        const endpoint = body.url === undefined ? null : parseEndpoint(body.url);
        const change = { ...body, ...(endpoint !== null && { url: endpoint.url }) };
        const row = await changeWebhook(db.api, { accountId, id: params.id }, change, endpoint?.host ?? null);
        return toWebhook(requireFound(row));
      },
    }),

    createRoute("deleteWebhook", {
      handle: async ({ params, principal: { accountId } }) => {
        if (!(await deleteWebhook(db.api, { accountId, id: params.id }))) throw new SlipwayError("not_found");
        return { removed: true };
      },
    }),

    createRoute("listWebhookDeliveries", {
      handle: async ({ params, query, principal: { accountId } }) => {
        const { limit } = query;
        const rows = requireFound(await listDeliveries(db.api, { accountId, id: params.id }, query));
        return { items: rows.map(toDelivery), next_before: rows.length === limit ? rows.at(-1)!.position : null };
      },
    }),

    createRoute("replayWebhook", {
      handle: async ({ params, query, principal: { accountId } }) => {
        const cursor = await replayWebhook(db.api, { accountId, id: params.id }, Number(query.from));
        return { cursor: String(requireFound(cursor)) };
      },
    }),

    createRoute("testWebhook", {
      handle: async ({ params, principal: { accountId }, reply }) => {
        const messageId = requireFound(await queueTest(db.api, { accountId, id: params.id }));
        reply.code(202);
        return { id: `msg_${messageId}` };
      },
    }),

    createRoute("rotateWebhookSecret", {
      handle: async ({ params, principal: { accountId } }) => {
        const { secret, sealed } = requireSecrets().create(params.id);
        const until = requireFound(await rotateSecret(db.api, { accountId, id: params.id }, sealed));
        return { secret: toSecretText(secret), previous_secret_until: until.toISOString() };
      },
    }),
  ];
}

/** @throws SlipwayError `not_found`. */
function requireFound<T>(value: T | null): T {
  if (value === null) throw new SlipwayError("not_found");
  return value;
}

/**
 * Parses the URL of an endpoint. Names are resolved and checked at each delivery.
 *
 * @throws SlipwayError `invalid_fields`.
 */
function parseEndpoint(text: string): { url: string; host: string } {
  try {
    // Its normal form is what deliveries parse again, and can be longer.
    const url = parseUntrustedUrl(parseUntrustedUrl(text).href);
    if (isPublicUrl(url)) return { url: url.href, host: url.hostname.replace(/\.$/, "") };
  } catch (error) {
    if (!(error instanceof UntrustedFetchError)) throw error;
  }
  throw new SlipwayError("invalid_fields", "url must be an https URL at port 443 of a public host.", { field: "url" });
}

function toWebhook(row: WebhookRow) {
  return {
    id: row.id,
    url: row.url,
    subject: row.subject,
    status: row.state,
    disabled_reason: row.disabled_reason,
    failing_since: row.failing_since?.toISOString() ?? null,
    last_error: row.error,
    previous_secret_until: row.previous_until?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}

function toDelivery(row: DeliveryRow) {
  return {
    id: `msg_${row.message_id}`,
    type: row.type,
    status: row.state,
    attempts: row.attempts,
    response_status: row.response_status,
    error: row.error,
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}
