import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { buildSite } from "./buildSite.ts";

type Chunk = { file: string; imports?: string[]; css?: string[] };

let folder: string;
let manifest: Record<string, Chunk>;
beforeAll(async () => {
  ({ folder } = await buildSite());
  manifest = JSON.parse(readFileSync(join(folder, ".vite/manifest.json"), "utf8")) as Record<string, Chunk>;
});

/** Returns the output files of these sources and of all their static imports. */
function getFiles(sources: readonly string[]): { scripts: Set<string>; styles: Set<string> } {
  const scripts = new Set<string>();
  const styles = new Set<string>();
  const visit = (name: string) => {
    const chunk = manifest[name];
    if (chunk === undefined) throw new Error(`the build has no ${name}`);
    if (scripts.has(chunk.file)) return;
    scripts.add(chunk.file);
    for (const style of chunk.css ?? []) styles.add(style);
    for (const imported of chunk.imports ?? []) visit(imported);
  };
  for (const source of sources) visit(source);
  return { scripts, styles };
}

const getBytes = (files: Iterable<string>) =>
  [...files].reduce((sum, file) => sum + statSync(join(folder, `${file}.gz`)).size, 0);
const first = ["index.html", "src/pages/explorePage.tsx"];

describe("the built site, compressed with gzip", () => {
  test("loads at most 130 kB of scripts and 12 kB of styles before its first page is drawn", () => {
    const { scripts, styles } = getFiles(first);
    expect(getBytes(scripts)).toBeLessThanOrEqual(130_000);
    expect(getBytes(styles)).toBeLessThanOrEqual(12_000);
  });

  test("loads at most 65 kB more for a token's page with its chart", () => {
    const firstScripts = getFiles(first).scripts;
    const page = getFiles(["src/pages/tokenPage.tsx", "src/ui/chartCanvas.tsx"]).scripts;
    expect(getBytes(page.difference(firstScripts))).toBeLessThanOrEqual(65_000);
  });

  test("has no schemas and no library for keys in the scripts of the first page", () => {
    for (const file of getFiles(first).scripts) {
      const text = readFileSync(join(folder, file), "utf8");
      expect([file, /ZodError|secp256k1/.exec(text)?.[0]]).toEqual([file, undefined]);
    }
  });

  test("loads one font before the first page is drawn", () => {
    const html = readFileSync(join(folder, "index.html"), "utf8");
    expect(html.match(/rel="preload" as="font"/g)).toHaveLength(1);
  });
});
