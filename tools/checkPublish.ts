import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { build, type Rolldown } from "vite";
import { isFullVolume } from "../tests/support/volume.ts";
import { buildPackages, type PublishedName, publishedNames, publishFolder, readPackageJson } from "./buildPackages.ts";
import { createConsumer, getCodeBlocks } from "./publishConsumer.ts";
import { repositoryRoot } from "./sourceFiles.ts";

/** The packages of other versions of Node, besides the one that runs this check. */
const otherNodes = ["22.23.3", "24.21.0"];

/** The packages that pages use; the MCP server runs in Node alone. */
const pageNames = publishedNames.filter((name) => name !== "mcp");

const bin = (name: string) => join(repositoryRoot, "node_modules/.bin", name);
const run = promisify(execFile);

/** Runs a program. @throws Error with its output if it fails */
async function runProgram(program: string, args: readonly string[], cwd: string, env = {}): Promise<string> {
  try {
    const { stdout } = await run(program, args, {
      cwd,
      env: { ...process.env, NO_COLOR: "1", ...env },
      maxBuffer: 2 ** 26,
    });
    return stdout;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(" ")} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

/** The entries of the published packages, as specifiers of imports. */
function getSpecifiers(name: PublishedName): string[] {
  const { exports } = readPackageJson(join(publishFolder, name, "package.json"));
  const entries = Object.keys(exports).filter((key) => key !== "./package.json");
  return entries.map((key) => `@slipway/${name}${key.slice(1)}`);
}

/** Writes a program that imports entries. */
function writeEntries(path: string, specifiers: readonly string[]): void {
  const imports = specifiers.map((specifier, index) => `import * as entry${index} from "${specifier}";\n`);
  const used = specifiers.map((_, index) => `entry${index}`);
  writeFileSync(path, `${imports.join("")}export const entries = [${used.join(", ")}];\n`);
}

/**
 * Checks the types of all entries and of the README's programs. The older compiler checks one of the three projects, and all
 * of them in the nightly tier.
 */
async function checkTypes(folder: string): Promise<void> {
  writeEntries(join(folder, "entries.ts"), publishedNames.flatMap(getSpecifiers));
  writeEntries(join(folder, "pageEntries.ts"), pageNames.flatMap(getSpecifiers));
  const programs = publishedNames.flatMap((name) => [...getCodeBlocks(name, "ts"), ...getCodeBlocks(name, "js")]);
  for (const [index, code] of programs.entries()) writeFileSync(join(folder, `readme${index}.ts`), code);
  const strict = {
    strict: true,
    noEmit: true,
    exactOptionalPropertyTypes: true,
    target: "es2024",
    verbatimModuleSyntax: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
  };
  const page = { module: "esnext", moduleResolution: "bundler", lib: ["es2024", "dom"], types: [] };
  const projects = {
    node: { ...strict, module: "nodenext", types: ["node"] },
    page: { ...strict, ...page },
    // The types of viem need those of a page.
    nodeAlone: { ...strict, module: "nodenext", types: ["node"], lib: ["es2024"], skipLibCheck: true },
  };
  // A second checker would compute again most of the types of the first.
  const compilers = [["node_modules/typescript/bin/tsc", "--checkers", "1"], ["tests/node_modules/typescript/bin/tsc"]];
  for (const [name, compilerOptions] of Object.entries(projects)) {
    // A page has no `process`, which the README's programs read.
    const include = name === "page" ? ["pageEntries.ts"] : ["*.ts"];
    writeFileSync(join(folder, `${name}.json`), JSON.stringify({ compilerOptions, include }));
    for (const [compiler, ...options] of name === "nodeAlone" || isFullVolume ? compilers : compilers.slice(0, 1))
      await runProgram(process.execPath, [join(repositoryRoot, compiler!), ...options, "-p", `${name}.json`], folder);
  }
}

/**
 * Returns the program of a version of Node, which npm installs below `.cache` once: in the nightly tier, because it
 * downloads 50 MB. Null if it is not installed.
 */
async function findNode(version: string): Promise<string | null> {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(repositoryRoot, ".cache/node", version);
  const program = join(folder, "node_modules", name, "bin/node");
  if (existsSync(program)) return program;
  if (!isFullVolume) return null;
  const options = [`--prefix=${folder}`, "--no-save", "--ignore-scripts", "--prefer-offline"];
  await runProgram("npm", ["install", ...options, `${name}@${version}`], repositoryRoot);
  return program;
}

/** Answers like the service: the recorded list of tokens, and otherwise the error of a request without a key. */
async function startRecordedApi(): Promise<{ url: string; close(): void }> {
  const path = join(repositoryRoot, "apps/server/openApi/examples.json");
  const { listTokens } = JSON.parse(readFileSync(path, "utf8")) as { listTokens: { answers: Record<string, unknown> } };
  const error = { code: "unauthorized", message: "Send a key.", request_id: "recorded", retryable: false };
  const server = createServer((request, response) => {
    const isList = request.url!.startsWith("/api/v1/launchpad/tokens?");
    response.writeHead(isList ? 200 : 401, { "content-type": "application/json" });
    response.end(JSON.stringify(isList ? listTokens.answers["200"] : { error }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/api/v1/launchpad`, close: () => server.close() };
}

/** Asks the installed MCP server for its tools over its standard streams, as an agent's program does. */
async function checkMcpProgram(node: string, folder: string): Promise<void> {
  const program = join(folder, "node_modules/@slipway/mcp/dist/main.js");
  const child = execFile(node, [program], { env: { PATH: process.env.PATH } });
  const clientInfo = { name: "check", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  const messages = [
    { jsonrpc: "2.0", id: 1, method: "initialize", params },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 2, method: "tools/list" },
  ];
  for (const message of messages) child.stdin!.write(`${JSON.stringify(message)}\n`);
  let printed = "";
  for await (const chunk of child.stdout!) {
    printed += chunk;
    if (printed.includes('"id":2') && printed.endsWith("\n")) break;
  }
  child.kill();
  if (!printed.includes('"create_draft"')) throw new Error(`the MCP server lists no tools: ${printed.slice(0, 500)}`);
}

/** Imports every entry and runs the README's programs with every version of Node. @returns the versions */
async function checkNodes(folder: string): Promise<string[]> {
  const imports = publishedNames.flatMap(getSpecifiers).map((specifier) => `await import("${specifier}");\n`);
  writeFileSync(join(folder, "entries.mjs"), `${imports.join("")}console.log(process.version);\n`);
  const programs = getCodeBlocks("sdk", "js");
  for (const [index, code] of programs.entries()) writeFileSync(join(folder, `readme${index}.mjs`), code);
  const api = await startRecordedApi();
  const checked = [];
  try {
    const others = await Promise.all(otherNodes.map(findNode));
    for (const node of [process.execPath, ...others].filter((found) => found !== null)) {
      checked.push((await runProgram(node, ["entries.mjs"], folder)).trim());
      await checkMcpProgram(node, folder);
      for (const index of programs.keys()) {
        const printed = await runProgram(node, [`readme${index}.mjs`], folder, { SLIPWAY_URL: api.url });
        if (printed === "") throw new Error(`the README's program ${index} prints nothing`);
      }
    }
  } finally {
    api.close();
  }
  return checked;
}

/**
 * Returns the bytes of the minified and compressed bundle of an entry, as a page downloads it, without the parts that load
 * on demand.
 */
async function getGzipBytes(folder: string, entry: string): Promise<number> {
  const path = join(folder, "node_modules/@slipway/sdk/dist", `${entry}.js`);
  const built = await build({
    configFile: false,
    root: folder,
    logLevel: "error",
    build: {
      write: false,
      lib: { entry: path, formats: ["es"] },
      rolldownOptions: { external: [], output: { minify: true } },
    },
  });
  const [{ output }] = built as [Rolldown.RolldownOutput];
  const chunks = new Map(output.flatMap((chunk) => ("code" in chunk ? [[chunk.fileName, chunk] as const] : [])));
  const loaded = new Set([...chunks.values()].filter(({ isEntry }) => isEntry));
  // A set visits elements that are added to it while it is read.
  for (const { imports } of loaded) for (const file of imports) if (chunks.has(file)) loaded.add(chunks.get(file)!);
  return [...loaded].reduce((sum, { code }) => sum + gzipSync(code).length, 0);
}

/** Checks that no entry exceeds its row of the README's table of sizes, and that no row is a tenth too large. */
async function checkSizes(folder: string): Promise<string[]> {
  const readme = readFileSync(join(publishFolder, "sdk/README.md"), "utf8");
  const rows = [...readme.matchAll(/^\| `(\w+)` \|.*\| (\d+) kB \|$/gm)].map(
    ([, entry, size]) => [entry!, Number(size)] as const,
  );
  const entries = getSpecifiers("sdk").map((specifier) => specifier.slice("@slipway/sdk/".length));
  const missing = entries.filter((entry) => !rows.some(([name]) => name === entry));
  if (missing.length > 0 || rows.length !== entries.length)
    throw new Error(`the README's table of sizes needs one row for each of: ${entries.join(", ")}`);
  const measured = [];
  for (const [entry, kilobytes] of rows) {
    const bytes = await getGzipBytes(folder, entry);
    if (bytes > kilobytes * 1_000 || kilobytes * 1_000 > bytes * 1.1 + 1_000)
      measured.push(`${entry} has ${bytes} bytes; its row says ${kilobytes} kB`);
  }
  if (measured.length > 0) throw new Error(measured.join("\n"));
  return rows.map(([entry, kilobytes]) => `${entry} ${kilobytes} kB`);
}

/**
 * Packs the published packages, installs the tarballs in an empty folder, and checks them there as a consumer uses them.
 */
async function main(): Promise<void> {
  const tarballs = await buildPackages();
  for (const name of publishedNames) {
    await runProgram(bin("publint"), ["--strict", tarballs[name]], repositoryRoot);
    await runProgram(bin("attw"), [tarballs[name], "--profile", "esm-only", "--no-emoji"], repositoryRoot);
  }
  const folder = createConsumer(tarballs);
  try {
    await runProgram("npm", ["ci", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"], folder);
    await checkTypes(folder);
    const nodes = await checkNodes(folder);
    const sizes = await checkSizes(folder);
    process.stdout.write(`checked with Node ${nodes.join(", ")}\n${sizes.join("\n")}\n`);
    if (nodes.length <= otherNodes.length)
      process.stdout.write(`not checked with ${otherNodes.join(", ")}: run npm test -- publish --nightly once\n`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

await main();
