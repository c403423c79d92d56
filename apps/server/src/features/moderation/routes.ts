import { type ErrorCode, SlipwayError } from "@slipway/protocol/errors";
import type { ModeratedKind } from "@slipway/protocol/moderation";
import type { Deps } from "../../deps.ts";
import { createRoute, type Route } from "../../route.ts";
import { isPublic, moderate, storeReport, toTarget } from "./queries.ts";

const notFound: Record<ModeratedKind, ErrorCode> = {
  listing: "listing_not_found",
  token: "token_not_indexed",
  image: "not_found",
  opening: "opening_not_indexed",
};

type ModerationRoute = "moderateListing" | "moderateToken" | "moderateImage" | "moderateOpening";

/** Creates the routes of public reports and of administrators' blocks. */
export function moderationRoutes(deps: Deps): Route[] {
  const db = deps.db.api;

  const createModerationRoute = (name: ModerationRoute, kind: ModeratedKind) =>
    createRoute(name, {
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
    createRoute("createReport", {
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

    createModerationRoute("moderateListing", "listing"),
    createModerationRoute("moderateToken", "token"),
    createModerationRoute("moderateImage", "image"),
    createModerationRoute("moderateOpening", "opening"),
  ];
}
