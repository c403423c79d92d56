import { type ErrorCode, SlipwayError } from "@slipway/protocol/errors";
import {
  type ModeratedKind,
  moderated,
  moderatedIds,
  moderation,
  receivedReport,
  report,
} from "@slipway/protocol/moderation";
import { z } from "zod";
import type { Deps } from "../../deps.ts";
import { type GuardedRoute, guardedRoute, publicRoute, type Route } from "../../route.ts";
import { isPublic, moderate, storeReport } from "./queries.ts";

const notFound: Record<ModeratedKind, ErrorCode> = {
  listing: "listing_not_found",
  token: "token_not_indexed",
  image: "not_found",
};

/** The form of an id in the database. */
const toTarget = (kind: ModeratedKind, id: string) => (kind === "token" ? id.toLowerCase() : id);

/** Reports of the public, and what administrators do about them. */
export function moderationRoutes(deps: Deps): Route[] {
  const db = deps.db.api;

  const moderationRoute = (
    kind: ModeratedKind,
    names: { name: string; summary: string; about: string },
  ): GuardedRoute =>
    guardedRoute({
      site: true,
      tag: "Administration",
      scope: "admin",
      method: "PATCH",
      path: `/api/admin/${kind}s/:id`,
      name: names.name,
      summary: names.summary,
      description: `${names.about} Each change is kept in an audit log with its reason.`,
      schemas: {
        params: z.object({ id: moderatedIds[kind].describe("Of the listing, the token or the picture.") }),
        body: moderation,
      },
      answers: { 200: { description: "The change, as it is in the audit log", schema: moderated } },
      errors: ["invalid_request", notFound[kind], "storage_unavailable"],
      handle: async ({ params, body, principal }) => {
        const target = toTarget(kind, params.id);
        const event = await moderate(db, { kind, target, ...body, administrator: principal.accountId });
        if (event === null) throw new SlipwayError(notFound[kind]);
        return {
          kind,
          id: params.id,
          blocked: event.blocked,
          reason: event.reason,
          created_at: event.created_at.toISOString(),
        };
      },
    });

  return [
    publicRoute({
      method: "POST",
      path: "/reports",
      name: "createReport",
      tag: "Businesses",
      summary: "Report a listing, a token or a picture",
      description:
        "For the operator. Counts against the policy `write` of the network address; one address reports each thing once.",
      schemas: { body: report },
      answers: { 202: { description: "The report was received", schema: receivedReport } },
      errors: ["listing_not_found", "token_not_indexed", "not_found", "storage_unavailable"],
      handle: async ({ body, clientAddress, reply }) => {
        const { kind, reason, text = null } = body;
        const target = toTarget(kind, body.id);
        if (!(await isPublic(db, kind, target))) throw new SlipwayError(notFound[kind]);
        const { ids } = deps;
        await storeReport(db, { id: ids.uuid(), kind, target, reason, text, clientAddress }, ids.bytes(32));
        reply.code(202);
        return { received: true };
      },
    }),

    moderationRoute("listing", {
      name: "moderateListing",
      summary: "Block a listing, or end its block",
      about: "A blocked listing is 404 and in no list.",
    }),
    moderationRoute("token", {
      name: "moderateToken",
      summary: "Block a token, or end its block",
      about:
        "A blocked token is in no list and has no image. Its page, trades, candles and transactions stay, with the " +
        "warning `blocked`: holders must be able to sell and claim.",
    }),
    moderationRoute("image", {
      name: "moderateImage",
      summary: "Block a picture, or end its block",
      about: "A blocked picture is 404 and shown nowhere.",
    }),
  ];
}
