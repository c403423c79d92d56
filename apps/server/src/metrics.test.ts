import type { MetricType } from "prom-client";
import { expect, test } from "vitest";
import { createMetrics } from "./metrics.ts";
import { collectProcessMetrics } from "./processMetrics.ts";

test("names metrics as promtool requires: counters, and only counters, end with _total; every metric has a help text", () => {
  const { registry } = createMetrics();
  collectProcessMetrics(registry);
  const metrics = registry.getMetricsAsArray() as { name: string; help: string; type: MetricType }[];
  const isCounter = ({ type }: { type: MetricType }) => String(type) === "counter";
  expect(metrics.length).toBeGreaterThan(50);
  expect(metrics.filter((metric) => isCounter(metric) !== metric.name.endsWith("_total"))).toEqual([]);
  expect(metrics.filter(({ help }) => help === "")).toEqual([]);
});
