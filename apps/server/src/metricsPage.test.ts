import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createMetrics } from "./metrics.ts";

const folder = new URL("../../../docs/", import.meta.url);
const readPage = (name: string) => readFileSync(new URL(name, folder), "utf8");

/** The labels of our own metrics by name. The default metrics of prom-client are documented there. */
const registered = new Map(
  (createMetrics().registry.getMetricsAsArray() as unknown as { name: string; labelNames: string[] }[])
    .filter(({ name }) => name.startsWith("slipway_"))
    .map(({ name, labelNames }) => [name, labelNames]),
);

type Mention = { name: string; labels: string[] };

/** Reads the metrics that a text names as code, such as `slipway_refused_total{via,code}`, and their labels. */
function findMentions(text: string): Mention[] {
  return [...text.matchAll(/`(slipway_[a-z0-9_]*[a-z0-9])(?:\{([^}`]*)\})?/g)].map(([, series, labels = ""]) => ({
    // A histogram has three series.
    name: registered.has(series!) ? series! : series!.replace(/_(?:bucket|count|sum)$/, ""),
    labels: [...labels.matchAll(/(\w+)(?:=~?"[^"]*")?/g)].map(([, label]) => label!),
  }));
}

describe("the metrics of metrics.ts and healthMetrics.ts, and docs/operations.md", () => {
  const rows = readPage("operations.md")
    .split("\n")
    .filter((line) => line.startsWith("| `slipway_"));
  const documented = new Set(rows.flatMap((row) => findMentions(row.split(" | ")[0]!)).map(({ name }) => name));

  test("the page has a row for each metric", () => {
    const missing = [...registered]
      .filter(([name]) => !documented.has(name))
      .map(([name, labels]) => `add ${labels.length > 0 ? `${name}{${labels.join()}}` : name} to a table of metrics`);
    expect(missing, "docs/operations.md lacks a row for each of these metrics").toEqual([]);
  });

  test("the page has no row for a metric that does not exist", () => {
    const stale = [...documented].filter((name) => !registered.has(name));
    expect(stale, "remove these metrics from docs/operations.md, or register them in metrics.ts").toEqual([]);
  });
});

test.each(readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md")))(
  "docs/%s names only labels that its metrics have",
  (name) => {
    const wrong = findMentions(readPage(name)).flatMap((mention) =>
      mention.labels
        .filter((label) => registered.get(mention.name)?.includes(label) === false)
        .map((label) => `${mention.name} has no label ${label}`),
    );
    expect(wrong, `edit docs/${name}`).toEqual([]);
  },
);
