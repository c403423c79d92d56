import { createHash } from "node:crypto";
import { maxAlerts } from "@slipway/protocol/alerts";
import { canonicalJson } from "@slipway/protocol/canonicalJson";
import { SlipwayError } from "@slipway/protocol/errors";
import type { Deps } from "../../deps.ts";
import { createRoute, type Route } from "../../route.ts";
import type { Secret } from "../../secret.ts";
import { type AlertRow, confirmAddress, deleteAlert, listAlerts, storeAlert, unsubscribeAddress } from "./queries.ts";
import { readTicket } from "./tickets.ts";

/** Lifetime of a confirmation link. */
const confirmationSeconds = 86_400;

/** Routes of alerts by e-mail. */
export function alertsRoutes(deps: Deps): Route[] {
  const { config, clock, db, ids } = deps;

  /** @throws SlipwayError `provider_unavailable`. */
  const requireSecret = (): Secret => {
    if (config.ALERT_SECRET !== undefined) return config.ALERT_SECRET;
    throw new SlipwayError("provider_unavailable", "The operator has not configured alerts by e-mail.");
  };

  return [
    createRoute("createAlert", {
      handle: async ({ headers, body, principal: { accountId }, request, reply }) => {
        if (config.SMTP_URL === undefined) requireMail();
        const bodyHash = createHash("sha256").update(canonicalJson(request.sentBody)).digest();
        const row = { id: ids.uuid(), addressId: ids.uuid(), accountId, idempotencyKey: headers["idempotency-key"] };
        const { id, isNew } = await storeAlert(db.api, { ...row, bodyHash, alert: body });
        if (isNew) reply.code(201);
        return { id, status: "pending" as const };
      },
    }),

    createRoute("listAlerts", {
      handle: async ({ principal }) => ({
        items: (await listAlerts(db.api, principal.accountId)).map(toAlert),
        max: maxAlerts,
      }),
    }),

    createRoute("deleteAlert", {
      handle: async ({ params, principal }) => {
        if (!(await deleteAlert(db.api, principal.accountId, params.id))) throw new SlipwayError("not_found");
        return { removed: true };
      },
    }),

    createRoute("confirmAlertAddress", {
      handle: async ({ body }) => {
        const ticket = readTicket(requireSecret(), body.ticket, "confirm");
        const isFresh = ticket !== null && clock.now() / 1000 - ticket.issuedAt <= confirmationSeconds;
        if (isFresh && (await confirmAddress(db.api, ticket.addressId))) return { confirmed: true as const };
        throw new SlipwayError(
          "signature_invalid",
          "The ticket is invalid or older than 24 hours, or its alert was deleted; create the alert again.",
          { field: "ticket" },
        );
      },
    }),

    createRoute("unsubscribeAlertAddress", {
      handle: async ({ params }) => {
        const ticket = readTicket(requireSecret(), params.ticket, "unsubscribe");
        if (ticket === null) throw new SlipwayError("not_found");
        await unsubscribeAddress(db.api, ticket.addressId);
        return { unsubscribed: true as const };
      },
    }),

    createRoute("openUnsubscribePage", {
      handle: async ({ params, reply }) => {
        if (readTicket(requireSecret(), params.ticket, "unsubscribe") === null) throw new SlipwayError("not_found");
        reply.code(303).header("location", `/alerts/unsubscribe#${params.ticket}`);
        return null;
      },
    }),
  ];
}

/** @throws SlipwayError `provider_unavailable`. */
function requireMail(): never {
  throw new SlipwayError("provider_unavailable", "The operator has not configured alerts by e-mail.");
}

function toAlert(row: AlertRow) {
  const status = row.state === "new" || !row.is_confirmed ? "pending" : row.is_suspended ? "suspended" : row.state;
  return {
    id: row.id,
    email: row.address,
    pair: row.pair,
    rule: row.rule,
    status: status as "pending" | "armed" | "fired" | "suspended",
    last_fired_at: row.fired_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    subject: row.subject,
  };
}
