import type { Deps } from "../../deps.ts";
import { createRoute, type Route } from "../../route.ts";
import { createMetricsReader } from "./createMetricsReader.ts";
import { createReadinessCheck } from "./createReadinessCheck.ts";

/**
 * Routes for monitoring: liveness, readiness and, without METRICS_PORT, metrics. Below the site's root.
 */
export function healthRoutes(deps: Deps): Route[] {
  const checkReadiness = createReadinessCheck(deps);
  deps.metrics.health.readiness = async () => {
    const { checks, index } = await checkReadiness();
    const results = Object.entries(checks).map(([name, { ok }]) => [name, ok] as const);
    return { checks: Object.fromEntries(results), lagSeconds: index.lag_seconds };
  };
  return [
    createRoute("getLiveness", {
      limit: "none",
      neverShed: true,
      handle: async () => ({ status: "alive" }),
    }),

    createRoute("getReadiness", {
      limit: "none",
      neverShed: true,
      handle: async ({ query, reply }) => {
        const answer = await checkReadiness();
        const { process, database, writes } = answer.checks;
        const parts = { reads: process.ok && database.ok, writes: process.ok && writes.ok };
        const ready = query.for === undefined ? answer.ready : parts[query.for];
        if (!ready) reply.code(503);
        return { ...answer, ready };
      },
    }),

    ...(deps.config.METRICS_PORT === undefined ? [createMetricsRoute(deps)] : []),
  ];
}

/** The route counts as a read, because its response is large. */
function createMetricsRoute(deps: Deps): Route {
  const readMetrics = createMetricsReader(deps);
  return createRoute("getMetrics", { neverShed: true, handle: async () => await readMetrics() });
}
