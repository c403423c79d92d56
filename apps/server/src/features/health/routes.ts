import { z } from "zod";
import { CachedResponse } from "../../cache/cachedResponse.ts";
import type { Deps } from "../../deps.ts";
import { publicRoute, type Route } from "../../route.ts";
import { createReadinessCheck } from "./createReadinessCheck.ts";

const check = z.object({ ok: z.boolean(), reason: z.string().nullable() });

const readinessAnswer = z
  .object({
    ready: z.boolean(),
    checks: z.object({ database: check, chain: check, index: check, manifest: check }),
    index: z.object({
      indexed_block: z.int().nullable(),
      head_block: z.int().nullable(),
      lag_seconds: z.number().nullable(),
    }),
    manifest: z.object({
      sha256: z.string().nullable(),
      pinned: z.boolean(),
      verified: z.boolean(),
      verified_at_block: z.int().nullable(),
    }),
    gas_station: z.object({ available: z.boolean(), configured: z.boolean(), reason: z.string().nullable() }),
  })
  .meta({ id: "Readiness", description: "Whether the process can serve everything, with each check." });

/** Routes for monitoring: liveness, readiness, metrics. Below the site's root. */
export function healthRoutes(deps: Deps): Route[] {
  const checkReadiness = createReadinessCheck(deps);
  const common = {
    ...({ method: "GET", site: true, tag: "Operation", errors: [] } as const),
    ...({ limit: "none", neverShed: true, foreignQuery: true } as const),
  };
  return [
    publicRoute({
      ...common,
      path: "/healthz",
      name: "getLiveness",
      summary: "Whether the process answers",
      description: "Does not cover database and chain: a restart of this process would not repair them.",
      answers: { 200: { description: "It does", schema: z.object({ status: z.literal("alive") }) } },
      handle: async () => ({ status: "alive" }),
    }),

    publicRoute({
      ...common,
      path: "/readyz",
      name: "getReadiness",
      summary: "Whether the process can serve everything, and if not, what is missing",
      description:
        "`checks.chain` also compares the endpoint's chain id. A gas station that is closed does not make it unready: " +
        "`gas_station` says why it is.",
      answers: {
        200: { description: "Ready", schema: readinessAnswer },
        503: { description: "Not ready; `checks` says which part and why", schema: readinessAnswer },
      },
      handle: async ({ reply }) => {
        const answer = await checkReadiness();
        if (!answer.ready) reply.code(503);
        return answer;
      },
    }),

    publicRoute({
      ...common,
      path: "/metrics",
      name: "getMetrics",
      summary: "Metrics in Prometheus text format",
      description: "The metrics of this process alone; every process has its own.",
      answers: { 200: { description: "The metrics of this process", contentType: "text/plain" } },
      handle: async () => {
        const { registry } = deps.metrics;
        return new CachedResponse(Buffer.from(await registry.metrics()), null, registry.contentType);
      },
    }),
  ];
}
