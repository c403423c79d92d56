import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");

export const prometheusFolder = join(root, "deploy/prometheus");

export type Rule = {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook_url: string };
};

/** Reads the alerts of deploy/prometheus/rules.yaml. */
export function readRules(): Rule[] {
  const { groups } = parse(read("deploy/prometheus/rules.yaml")) as { groups: { rules: Rule[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

/** The expectations of an alert at a time of its unit test. */
type AlertTest = { alertname: string; exp_alerts?: unknown[] };

/** Reads the expectations of deploy/prometheus/rules.test.yaml. */
export function readAlertTests(): AlertTest[] {
  const { tests } = parse(read("deploy/prometheus/rules.test.yaml")) as { tests: { alert_rule_test: AlertTest[] }[] };
  return tests.flatMap(({ alert_rule_test }) => alert_rule_test);
}

export type Dashboard = {
  uid: string;
  title: string;
  panels: { title: string; targets: { expr: string; refId: string }[] }[];
};

/** Reads the dashboards of deploy/grafana by file name. */
export function readDashboards(): Map<string, Dashboard> {
  const paths = globSync("deploy/grafana/*.json", { cwd: root }).sort();
  return new Map(paths.map((path) => [basename(path), JSON.parse(read(path)) as Dashboard]));
}

/** A command or an SQL statement of a section. */
export type RunbookBlock = { page: string; section: string; language: string; code: string };

/** Reads the sections of the runbooks, by page and title, with their code blocks. */
export function readRunbooks(): { page: string; section: string; text: string; blocks: RunbookBlock[] }[] {
  const pages = globSync("docs/runbooks/*.md", { cwd: root }).sort();
  return pages.flatMap((path) => {
    const page = basename(path);
    const sections = read(path).split(/^## /m).slice(1);
    return sections.map((text) => {
      const section = text.slice(0, text.indexOf("\n")).trim();
      const found = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
      const blocks = found.map(([, language, code]) => ({ page, section, language: language!, code: code! }));
      return { page, section, text, blocks };
    });
  });
}

/** Returns the names of the metrics in a PromQL expression: identifiers that are followed by a selector or stand alone. */
export function listMetrics(expression: string): string[] {
  const withoutTexts = expression
    .replace(/"[^"]*"/g, '""')
    .replace(/\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, " ")
    .replace(/\{[^}]*\}/g, " ")
    .replace(/\[[^\]]*\]/g, " ");
  const names = withoutTexts.match(/(?<!\w)[a-zA-Z_][a-zA-Z0-9_]*(?!\w*\s*\()/g) ?? [];
  const keywords = new Set(["and", "or", "unless", "bool", "offset", "le"]);
  return [...new Set(names.filter((name) => !keywords.has(name)))];
}
