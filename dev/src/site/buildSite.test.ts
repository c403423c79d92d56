import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createTestFolder } from "../../../tests/support/createTestFolder.ts";
import { buildSite } from "./buildSite.ts";

test("builds the site once for the same sources, also when two stacks start at the same time", async () => {
  const root = createTestFolder();
  let builds = 0;
  const build = async (outDir: string) => {
    await sleep(50 * ++builds);
    writeFileSync(join(outDir, "index.html"), `build ${builds}`);
  };
  const both = await Promise.all([buildSite(root, build), buildSite(root, build)]);
  expect(both[0].folder).toBe(both[1].folder);
  const { folder, isNew } = await buildSite(root, build);
  expect([folder, isNew, builds]).toEqual([both[0].folder, false, 2]);
  expect(readdirSync(root)).toHaveLength(1);
});

test("leaves no folder of a failed build", async () => {
  const root = createTestFolder();
  const fail = async () => {
    throw new Error("no build");
  };
  await expect(buildSite(root, fail)).rejects.toThrow("no build");
  expect(readdirSync(root)).toEqual([]);
});

test("stores the site's files also compressed", async () => {
  const { folder } = await buildSite();
  const manifest = JSON.parse(readFileSync(join(folder, ".vite/manifest.json"), "utf8")) as Record<
    string,
    { file: string }
  >;
  const { file } = manifest["index.html"]!;
  for (const name of [file, `${file}.br`, `${file}.gz`]) expect(existsSync(join(folder, name))).toBe(true);
});
