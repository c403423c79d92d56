import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";

const folder = fileURLToPath(new URL("..", import.meta.url));
const blocks = [...readFileSync(join(folder, "README.md"), "utf8").matchAll(/^```ts\n([\s\S]*?)^```/gm)];

it.each(blocks.map(([, code]) => [code!.split("\n")[0]!, code!]))(
  "the README's example is correct: %s",
  async (_, code) => {
    // `expression; // => value` becomes a comparison.
    const checked = code.replace(/^(.*);\s*\/\/ => (.*)$/gm, "results.push([$1, $2]);");
    const source = checked.replaceAll("@slipway/quant/", `${pathToFileURL(join(folder, "src"))}/`);
    const imports = source.replace(/from "(file:[^"]+)"/g, 'from "$1.ts"');
    const path = mkdtempSync(join(folder, "src", ".readme-"));
    onTestFinished(() => rmSync(path, { recursive: true, force: true }));
    writeFileSync(join(path, "example.ts"), `export const results: unknown[][] = [];\n${imports}`);
    const { results } = (await import(join(path, "example.ts"))) as { results: unknown[][] };
    expect(results.length).toBeGreaterThan(0);
    for (const [actual, wanted] of results) expect(actual).toEqual(wanted);
  },
);
