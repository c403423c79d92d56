import { collectDefaultMetrics, type Registry } from "prom-client";

/**
 * Default gauges with the suffix of a counter, which promtool refuses. `nodejs_active_handles`,
 * `nodejs_active_requests` and `nodejs_active_resources` have the same numbers by type.
 */
const misnamedMetrics = ["handles", "requests", "resources"].map((name) => `nodejs_active_${name}_total`);

/**
 * The interval in ms of the samples of the event loop's delay, which the reported delays contain. Each sample wakes the
 * process: the thread of an idle API process takes 0.6% of a core with the default of 10 ms, and 0.4% with 50 ms.
 */
const eventLoopMonitoringPrecision = 50;

/**
 * Adds the metrics of this process to a registry: CPU time, memory, garbage collection, delay of the event loop. Once in a
 * process: its observers of the garbage collector and of the event loop never end.
 */
export function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision });
  for (const name of misnamedMetrics) registry.removeSingleMetric(name);
}
