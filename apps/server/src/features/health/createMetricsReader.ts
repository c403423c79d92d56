import { CachedResponse } from "../../cache/cachedResponse.ts";
import { createSharedResult } from "../../cache/createSharedResult.ts";
import type { Deps } from "../../deps.ts";

/**
 * Creates the function that reads the metrics of this process in the Prometheus text format. The text has more than 100 kB
 * and takes milliseconds to format, so it is formatted at most once in `METRICS_CACHE_MS`.
 */
export function createMetricsReader({
  clock,
  config,
  metrics,
}: Pick<Deps, "clock" | "config" | "metrics">): () => Promise<CachedResponse> {
  return createSharedResult({
    compute: async () => {
      const { registry } = metrics;
      return new CachedResponse(Buffer.from(await registry.metrics()), null, registry.contentType);
    },
    lifetimeMs: config.METRICS_CACHE_MS,
    now: () => clock.now(),
  });
}
