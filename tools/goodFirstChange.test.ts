import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { repositoryRoot, sourceFiles } from "./sourceFiles.ts";

/** Returns the diffs of the walk-through in CONTRIBUTING.md, in order. */
function readDiffs(): string {
  const page = readFileSync(join(repositoryRoot, "CONTRIBUTING.md"), "utf8");
  const section = /^## A good first change\n([\s\S]*?)^## /m.exec(page)?.[1] ?? "";
  return [...section.matchAll(/^```diff\n([\s\S]*?)^```$/gm)].map(([, diff]) => diff).join("");
}

/**
 * Copies the repository's files so that imports of `@slipway/...` reach the copy: each node_modules is a folder of
 * links, to third-party packages in this repository and to our own packages in the copy.
 */
function copyRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), "slipway-first-change-"));
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  for (const { path } of sourceFiles(() => true)) {
    mkdirSync(join(copy, dirname(path)), { recursive: true });
    cpSync(join(repositoryRoot, path), join(copy, path));
  }
  for (const folder of [
    "",
    "packages/protocol",
    "packages/sdk",
    "packages/deploy",
    "apps/server",
    "dev",
    "tests",
    "bench",
  ]) {
    const installed = join(repositoryRoot, folder, "node_modules");
    if (!existsSync(installed)) continue;
    mkdirSync(join(copy, folder, "node_modules"));
    const names = readdirSync(installed).filter((name) => name !== "@slipway" && name !== ".vite");
    for (const name of names) symlinkSync(join(installed, name), join(copy, folder, "node_modules", name));
  }
  const own = {
    protocol: "packages/protocol",
    quant: "packages/quant",
    sdk: "packages/sdk",
    mcp: "packages/mcp",
    deploy: "packages/deploy",
    server: "apps/server",
    dev: "dev",
  };
  mkdirSync(join(copy, "node_modules/@slipway"));
  for (const [name, folder] of Object.entries(own))
    symlinkSync(join(copy, folder), join(copy, "node_modules/@slipway", name));
  // The cache of checked types, so that only changed files are checked again.
  if (existsSync(join(repositoryRoot, ".cache/types")))
    cpSync(join(repositoryRoot, ".cache/types"), join(copy, ".cache/types"), { recursive: true });
  return copy;
}

/** Compiles only if the SDK's type has the new parameter, with its type. */
const sdkCalls = `import type { Client } from "./createLeanClient.ts";

export const listSplit = (client: Client) => client.listTokens({ splitter: "0x1" });
// @ts-expect-error: an address is a text
export const listNumber = (client: Client) => client.listTokens({ splitter: 1 });
`;

/** Prints the names of the query parameters of listTokens in the OpenAPI document. */
const printParameters = `
import { createRoutes } from "./apps/server/src/http/routes.ts";
import { createOpenApiDocument } from "./apps/server/src/http/openApi/createOpenApiDocument.ts";
import { parseConfig } from "./apps/server/src/config.ts";

const config = parseConfig({ DATABASE_URL: "postgres://unused", RPC_URL: "http://127.0.0.1:1" });
const { paths } = createOpenApiDocument(createRoutes({ config, db: {}, chain: {}, metrics: { health: {} } }), config);
console.log(paths["/api/v1/launchpad/tokens"].get.parameters.map(({ name }) => name).join());
`;

test("the walk-through of CONTRIBUTING.md adds a parameter in one place and passes its test", {
  timeout: 300_000,
}, () => {
  const copy = copyRepository();
  const run = (program: string, ...args: string[]) => {
    // The copy builds its own programs.
    const env = { ...process.env, NO_COLOR: "1", TEST_PREPARED: undefined };
    const options = { cwd: copy, encoding: "utf8", env } as const;
    const { status, stdout, stderr } = spawnSync(program, args, options);
    expect(status, `${program} ${args.join(" ")}\n${stdout}${stderr}`).toBe(0);
    return stdout;
  };
  writeFileSync(join(copy, "change.diff"), readDiffs());
  // The line numbers of the page may be outdated: one line of context finds the place.
  run("git", "apply", "-C1", "change.diff");
  const bin = join(copy, "node_modules/.bin");
  writeFileSync(join(copy, "packages/sdk/src/firstChange.ts"), sdkCalls);
  // With one thread, because a second checker computes again most of the types of the first.
  run(join(bin, "tsc"), "-b", "--checkers", "1", "--builders", "1", "apps/server", "packages/sdk");
  expect(run("node", "--input-type=module", "--eval", printParameters)).toMatch(/\bsplitter\b/);
  const file = "apps/server/src/features/tokens/tokenList.test.ts";
  expect(run(join(bin, "vitest"), "run", "--project=unit", file, "-t", "tokens of a splitter")).toMatch(/1 passed/);
});

test("the walk-through of a launch option lists at most 15 files, and each contains the option", () => {
  const page = readFileSync(join(repositoryRoot, "CONTRIBUTING.md"), "utf8");
  const section = /^## A launch option, [^\n]*\n([\s\S]*?)^## /m.exec(page)?.[1] ?? "";
  const files = [...section.matchAll(/^\| `([\w/.]+)` \|/gm)].map(([, file]) => file!);
  expect(files.length).toBeGreaterThan(10);
  expect(files.length).toBeLessThanOrEqual(15);
  // The form has no partner yet; its first buy is an option of the form.
  const option = /partner|initial_buy/;
  expect(files.filter((file) => !option.test(readFileSync(join(repositoryRoot, file), "utf8")))).toEqual([]);
});
