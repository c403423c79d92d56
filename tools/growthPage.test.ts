import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { computeParts, documentedLoad, documentedPrices, formatParts } from "../bench/growth.ts";
import { repositoryRoot } from "./sourceFiles.ts";

it("the page about growth has the table that the program computes", () => {
  const page = readFileSync(join(repositoryRoot, "docs", "growth.md"), "utf8");
  expect(page).toContain(formatParts(computeParts(documentedLoad), documentedPrices));
});

it("ten times the trades need ten times the disk, and more cores only where swaps are written", () => {
  const sum = (load: typeof documentedLoad, field: "cores" | "gigabytes") =>
    computeParts(load).reduce((total, part) => total + part[field], 0);
  const more = { ...documentedLoad, trades: documentedLoad.trades * 10 };
  expect(sum(more, "gigabytes") / sum(documentedLoad, "gigabytes")).toBeCloseTo(10);
  expect(sum(more, "cores") - sum(documentedLoad, "cores")).toBeLessThan(30);
});
