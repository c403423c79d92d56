import { readFileSync } from "node:fs";
import { factIds } from "@slipway/protocol/facts";
import { expect, test } from "vitest";

test("docs/api.md explains the formula of every fact", () => {
  const page = readFileSync(new URL("../../../../../../docs/api.md", import.meta.url), "utf8");
  const section = page.slice(page.indexOf("## Facts of a launch"), page.indexOf("## Token manifests"));
  const named = [...section.matchAll(/`(…?[a-z0-9_]+…?)`/g)].map(([, name]) => name!);
  const isNamed = (id: string) =>
    named.some((name) => {
      if (name.startsWith("…")) return id.endsWith(name.slice(1));
      return name.endsWith("…") ? id.startsWith(name.slice(0, -1)) : name === id;
    });
  expect(factIds.filter((id) => !isNamed(id))).toEqual([]);
});
