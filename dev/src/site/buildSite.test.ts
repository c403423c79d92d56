import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTestFolder } from "../../../tests/support/createTestFolder.ts";
import { buildSite } from "./buildSite.ts";

test("builds the site once for the same sources, also when two stacks start at the same time", async () => {
  const root = createTestFolder();
  const both = await Promise.all([buildSite(root), buildSite(root)]);
  expect(both[0].folder).toBe(both[1].folder);
  const { folder, isNew } = await buildSite(root);
  expect([folder, isNew]).toEqual([both[0].folder, false]);
  expect(readdirSync(root)).toHaveLength(1);
  const manifest = JSON.parse(readFileSync(join(folder, ".vite/manifest.json"), "utf8")) as Record<
    string,
    { file: string }
  >;
  const { file } = manifest["index.html"]!;
  for (const name of [file, `${file}.br`, `${file}.gz`]) expect(existsSync(join(folder, name))).toBe(true);
});
