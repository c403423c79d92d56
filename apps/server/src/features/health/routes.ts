import { CachedResponse } from "../../cache/cachedResponse.ts";
import type { Deps } from "../../deps.ts";
import { createRoute, type Route } from "../../route.ts";
import { createReadinessCheck } from "./createReadinessCheck.ts";

/** Routes for monitoring: liveness, readiness, metrics. Below the site's root. */
export function healthRoutes(deps: Deps): Route[] {
  const checkReadiness = createReadinessCheck(deps);
  return [
    createRoute("getLiveness", {
      limit: "none",
      neverShed: true,
      handle: async () => ({ status: "alive" }),
    }),

    createRoute("getReadiness", {
      limit: "none",
      neverShed: true,
      handle: async ({ reply }) => {
        const answer = await checkReadiness();
        if (!answer.ready) reply.code(503);
        return answer;
      },
    }),

    createRoute("getMetrics", {
      limit: "none",
      neverShed: true,
      handle: async () => {
        const { registry } = deps.metrics;
        return new CachedResponse(Buffer.from(await registry.metrics()), null, registry.contentType);
      },
    }),
  ];
}
