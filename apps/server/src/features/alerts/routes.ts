import { createHash } from "node:crypto";
import { removed } from "@slipway/protocol/accounts";
import {
  alertList,
  alertTicket,
  confirmedAddress,
  createdAlert,
  maxAlerts,
  newAlert,
  unsubscribed,
} from "@slipway/protocol/alerts";
import { canonicalJson } from "@slipway/protocol/canonicalJson";
import { SlipwayError } from "@slipway/protocol/errors";
import { idempotencyKey } from "@slipway/protocol/intent";
import { text } from "@slipway/protocol/text";
import { z } from "zod";
import type { Deps } from "../../deps.ts";
import { guardedRoute, publicRoute, type Route } from "../../route.ts";
import type { Secret } from "../../secret.ts";
import { type AlertRow, confirmAddress, deleteAlert, listAlerts, storeAlert, unsubscribeAddress } from "./queries.ts";
import { readTicket } from "./tickets.ts";

/** How long the link of a confirmation is good. */
const confirmationSeconds = 86_400;

/** Routes of alerts by e-mail. */
export function alertsRoutes(deps: Deps): Route[] {
  const { config, clock, db, ids } = deps;
  const common = { site: true, tag: "Market data" } as const;
  const ticketParameters = z.object({ ticket: text().describe("The ticket of the mail.") });

  /** @throws SlipwayError `provider_unavailable`. */
  const requireSecret = (): Secret => {
    if (config.ALERT_SECRET !== undefined) return config.ALERT_SECRET;
    throw new SlipwayError("provider_unavailable", "The operator has not configured alerts by e-mail.");
  };

  return [
    guardedRoute({
      ...common,
      method: "POST",
      path: "/api/alerts",
      name: "createAlert",
      summary: "Set an alert by e-mail",
      description:
        "A mail asks the address for a confirmation, once for all alerts of the account to it. A confirmed alert sends a mail " +
        "when its metric crosses the threshold, at most one in 6 hours, and 20 a day to an address. It can send the next " +
        "one when the value has come back by 5% of the threshold. An address gets at most 3 requests for a confirmation a day, " +
        "and an account can cause 10. The answer is the same whether the address is known or not. An identical retry with the same " +
        "Idempotency-Key answers 200 with the same id, other content 409. An account has at most 20 alerts.",
      schemas: { headers: z.object({ "idempotency-key": idempotencyKey }), body: newAlert },
      plan: "subscriber",
      answers: {
        201: { description: "The alert was stored", schema: createdAlert },
        200: { description: "The same request was made before", schema: createdAlert },
      },
      errors: ["too_many_alerts", "idempotency_key_reused", "provider_unavailable", "storage_unavailable"],
      handle: async ({ headers, body, principal: { accountId }, request, reply }) => {
        if (config.SMTP_URL === undefined) requireMail();
        const bodyHash = createHash("sha256").update(canonicalJson(request.sentBody)).digest();
        const row = { id: ids.uuid(), addressId: ids.uuid(), accountId, idempotencyKey: headers["idempotency-key"] };
        const { id, isNew } = await storeAlert(db.api, { ...row, bodyHash, alert: body });
        if (isNew) reply.code(201);
        return { id, status: "pending" as const };
      },
    }),

    guardedRoute({
      ...common,
      method: "GET",
      path: "/api/alerts",
      name: "listAlerts",
      summary: "List the alerts of the account, newest first",
      description: "They send mails while the account has the plan; without it they can be listed and deleted.",
      answers: { 200: { description: "The alerts", schema: alertList } },
      errors: ["storage_unavailable"],
      handle: async ({ principal }) => ({
        items: (await listAlerts(db.api, principal.accountId)).map(toAlert),
        max: maxAlerts,
      }),
    }),

    guardedRoute({
      ...common,
      method: "DELETE",
      path: "/api/alerts/:id",
      name: "deleteAlert",
      summary: "Delete an alert",
      description: "Its mails that are not sent yet are not sent. Its Idempotency-Key may be used again.",
      schemas: { params: z.object({ id: z.uuid().describe("The id of one of the account's alerts.") }) },
      answers: { 200: { description: "Deleted", schema: removed } },
      errors: ["invalid_request", "not_found", "storage_unavailable"],
      handle: async ({ params, principal }) => {
        if (!(await deleteAlert(db.api, principal.accountId, params.id))) throw new SlipwayError("not_found");
        return { removed: true };
      },
    }),

    publicRoute({
      ...common,
      method: "POST",
      path: "/api/alerts/confirm",
      name: "confirmAlertAddress",
      summary: "Confirm the address of alerts",
      description:
        "The page of the mail's link sends the ticket, which is good for 24 hours. Again changes nothing and answers 200.",
      schemas: { body: alertTicket },
      answers: { 200: { description: "The address is confirmed", schema: confirmedAddress } },
      errors: ["signature_invalid", "provider_unavailable", "storage_unavailable"],
      handle: async ({ body }) => {
        const ticket = readTicket(requireSecret(), body.ticket, "confirm");
        const isFresh = ticket !== null && clock.now() / 1000 - ticket.issuedAt <= confirmationSeconds;
        if (isFresh && (await confirmAddress(db.api, ticket.addressId))) return { confirmed: true as const };
        throw new SlipwayError(
          "signature_invalid",
          "The ticket is not of this service or older than 24 hours, or its alert was deleted; set the alert again.",
          { field: "ticket" },
        );
      },
    }),

    publicRoute({
      ...common,
      method: "POST",
      path: "/api/alerts/unsubscribe/:ticket",
      name: "unsubscribeAlertAddress",
      summary: "End the alerts of an account to an address, with one click",
      description:
        "What mail programs and the page of the mail's link send (RFC 8058): no sign-in, and a body that is not read. Again " +
        "answers 200. The address can be confirmed again for a new alert.",
      ignoredBody: true,
      schemas: { params: ticketParameters },
      answers: { 200: { description: "The address gets no more alerts of the account", schema: unsubscribed } },
      errors: ["not_found", "provider_unavailable", "storage_unavailable"],
      handle: async ({ params }) => {
        const ticket = readTicket(requireSecret(), params.ticket, "unsubscribe");
        if (ticket === null) throw new SlipwayError("not_found");
        await unsubscribeAddress(db.api, ticket.addressId);
        return { unsubscribed: true as const };
      },
    }),

    publicRoute({
      ...common,
      method: "GET",
      path: "/api/alerts/unsubscribe/:ticket",
      name: "openUnsubscribePage",
      summary: "Where a browser that opens the link of a mail's header goes",
      description: "Changes nothing: programs that check mails open every link. The page asks first.",
      schemas: { params: ticketParameters },
      answers: { 303: { description: "To the page, with the ticket in its fragment", headers: ["Location"] } },
      errors: ["not_found", "provider_unavailable"],
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
    rule: { metric: row.metric, op: row.op, value: row.value },
    status: status as "pending" | "armed" | "fired" | "suspended",
    last_fired_at: row.fired_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}
