import { createMetrics } from "@slipway/server/metrics";
import { collectProcessMetrics } from "@slipway/server/processMetrics";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { listMetrics, readAlertTests, readDashboards, readRules, readRunbooks } from "./artefacts.ts";
import dashboardSchema from "./dashboardSchema.json" with { type: "json" };

/** Metrics that Prometheus itself makes. */
const prometheusMetrics = ["up", "ALERTS"];

/** Returns the names of all series of the service. */
async function listSeriesNames(): Promise<Set<string>> {
  const { registry } = createMetrics();
  collectProcessMetrics(registry);
  const metrics = (await registry.getMetricsAsJSON()) as unknown as { name: string; type: string }[];
  const suffixes = (type: string) => (type === "histogram" ? ["_bucket", "_sum", "_count"] : [""]);
  return new Set([
    ...prometheusMetrics,
    ...metrics.flatMap(({ name, type }) => suffixes(type).map((suffix) => name + suffix)),
  ]);
}

test("lists the metrics of an expression", () => {
  const expression =
    'sum by (job, le) (rate(a_total{x="b_total"}[5m])) / on (job) c_total offset 1m > 0.5 unless d == 1';
  expect(listMetrics(expression)).toEqual(["a_total", "c_total", "d"]);
});

test("every alert and every panel uses metrics that the service has", async () => {
  const known = await listSeriesNames();
  const panels = [...readDashboards().values()].flatMap(({ panels }) => panels.flatMap(({ targets }) => targets));
  const expressions = [...readRules(), ...panels].map(({ expr }) => expr);
  expect(expressions.length).toBeGreaterThan(100);
  const unknown = expressions.flatMap(listMetrics).filter((name) => !known.has(name));
  expect(unknown).toEqual([]);
});

test("every alert has a runbook section with symptom, meaning, check and remedy, and every section an alert", () => {
  const sections = readRunbooks().filter(({ section }) => section.startsWith("Slipway"));
  const links = sections.map(({ page, section }) => `{{ $externalLabels.runbooks }}/${page}#${section.toLowerCase()}`);
  const rules = readRules();
  expect(rules.map(({ annotations }) => annotations.runbook_url).sort()).toEqual(links.sort());
  expect(rules.map(({ alert }) => alert).sort()).toEqual(sections.map(({ section }) => section).sort());
  for (const { section, text, blocks } of sections) {
    for (const part of ["Symptom", "Meaning", "Check", "Remedy"]) expect(text, section).toContain(`**${part}.**`);
    expect(blocks.length, section).toBeGreaterThan(0);
  }
  const list = readRunbooks().find(({ section }) => section === "Alerts")!.text;
  for (const { alert, labels } of rules)
    expect(list).toMatch(new RegExp(`\\[${alert}\\]\\(\\S+\\) \\| ${labels.severity} \\|`));
});

test("every alert has a unit test in which it fires and resolves", () => {
  const names = readRules().map(({ alert }) => alert);
  const tests = readAlertTests();
  const listTested = (isFiring: boolean) =>
    tests.filter(({ exp_alerts = [] }) => exp_alerts.length > 0 === isFiring).map(({ alertname }) => alertname);
  expect(new Set(listTested(true))).toEqual(new Set(names));
  expect(new Set(listTested(false))).toEqual(new Set(names));
});

test("the dashboards have the form of Grafana's, and no two have the same id or title", () => {
  const validate = new Ajv({ allErrors: true }).compile(dashboardSchema);
  const dashboards = readDashboards();
  expect([...dashboards.keys()]).toEqual(["api.json", "database.json", "index.json", "markets.json", "overview.json"]);
  for (const [name, dashboard] of dashboards)
    expect([name, validate(dashboard), validate.errors]).toEqual([name, true, null]);
  const all = [...dashboards.values()];
  expect(new Set(all.map(({ uid }) => uid)).size).toBe(all.length);
  expect(new Set(all.map(({ title }) => title)).size).toBe(all.length);
});
