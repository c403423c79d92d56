import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import { type Stack, startStack } from "@slipway/dev/startStack";
import { unlimited } from "../conformance/unlimited.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
/** The packages of this check: none of them is a dependency of the project. */
const folder = join(root, ".cache/generators");
const packages = [
  "@asyncapi/parser@3.6.6",
  "@hey-api/openapi-ts@0.95.0",
  "@stoplight/spectral-core@1.24.1",
  "@stoplight/spectral-parsers@1.0.5",
  "@stoplight/spectral-rulesets@1.23.1",
  "orval@7.13.2",
  "quicktype@26.0.0",
  "typescript@5.9.3",
];

/** The schemas for which quicktype makes classes; it adds those that they contain. */
const pythonTypes = ["Config", "Intent", "Draft", "SplitRequest", "LaunchRequest", "UnsignedResult", "TokenDetail"];

const execute = promisify(execFile);

/** Runs a program in the folder. @throws Error with its output if it fails. */
async function run(program: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  try {
    const options = { cwd: folder, env: { ...process.env, NO_COLOR: "1", ...env }, maxBuffer: 2 ** 26 };
    return (await execute(program, args, options)).stdout;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(" ")} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

const runBin = (name: string, ...args: string[]) =>
  run(process.execPath, [join(folder, "node_modules/.bin", name), ...args]);

/** Installs the packages once; their scripts do not run. */
async function install(): Promise<void> {
  const stamp = join(folder, "installed.json");
  const wanted = JSON.stringify(packages);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "generators", private: true }));
  await run("npm", ["install", "--save-exact", "--ignore-scripts", "--no-audit", "--no-fund", ...packages]);
  writeFileSync(stamp, wanted);
}

/** Stores the documents of a stack, and the programs, in the folder. */
async function prepare(stack: Stack): Promise<void> {
  for (const name of ["openapi.json", "openapi-admin.json", "asyncapi.json"]) {
    const response = await fetch(`${stack.baseUrl}/${name}`);
    writeFileSync(join(folder, name), await response.text());
  }
  const programs = join(root, "tests/support/integrator");
  for (const name of ["heyApi.ts", "orval.ts", "launchFlow.ts", "launch.py", "lintDocuments.mjs"])
    cpSync(join(programs, name), join(folder, name));
  for (const name of ["ethers", "@types/node"]) {
    const link = join(folder, "node_modules", name);
    if (existsSync(link)) continue;
    mkdirSync(join(link, ".."), { recursive: true });
    symlinkSync(join(root, "node_modules", name), link);
  }
}

async function generate(stack: Stack): Promise<void> {
  await runBin("openapi-ts", "-i", "openapi.json", "-o", "heyApi", "-c", "@hey-api/client-fetch");
  const output = { target: "./orval/client.ts", client: "fetch", mode: "single", baseUrl: stack.siteUrl };
  const config = { slipway: { input: "./openapi.json", output } };
  writeFileSync(join(folder, "orval.config.cjs"), `module.exports = ${JSON.stringify(config)};`);
  await runBin("orval", "--config", "orval.config.cjs");
  writeFileSync(join(folder, "schema.json"), JSON.stringify(createSchema()));
  const python = ["--src-lang", "schema", "--lang", "python", "--python-version", "3.7", "--top-level", "Slipway"];
  await runBin("quicktype", ...python, "--src", "schema.json", "-o", "slipway_models.py");
}

/** Creates a JSON Schema of the chosen components, which quicktype reads. */
function createSchema(): object {
  const document = readFileSync(join(folder, "openapi.json"), "utf8").replaceAll(
    "#/components/schemas/",
    "#/definitions/",
  );
  const { schemas } = (JSON.parse(document) as { components: { schemas: Record<string, object> } }).components;
  const definitions: Record<string, object> = {};
  const add = (name: string) => {
    if (name in definitions) return;
    definitions[name] = schemas[name]!;
    for (const [, inner] of JSON.stringify(schemas[name]).matchAll(/"#\/definitions\/(\w+)"/g)) add(inner!);
  };
  for (const name of pythonTypes) add(name);
  const properties = Object.fromEntries(pythonTypes.map((name) => [name, { $ref: `#/definitions/${name}` }]));
  return { $schema: "http://json-schema.org/draft-06/schema#", type: "object", properties, definitions };
}

/** Compiles the programs with their clients. Strict, with the checks of library types of the generated files. */
async function compile(): Promise<void> {
  const compilerOptions = {
    strict: true,
    target: "es2022",
    lib: ["es2024", "dom", "dom.iterable"],
    types: ["node"],
    module: "commonjs",
    moduleResolution: "node10",
    esModuleInterop: true,
    outDir: "built",
    skipLibCheck: true,
    rewriteRelativeImportExtensions: true,
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["heyApi.ts", "orval.ts"] }));
  await runBin("tsc", "-p", "tsconfig.json");
  await run("python3", ["-m", "py_compile", "slipway_models.py", "launch.py"]);
}

/** Launches a token with a program. */
async function launch(stack: Stack, program: string, args: string[], name: string): Promise<void> {
  const [creator] = stack.wallets;
  const output = await run(program, args, {
    SITE_URL: stack.siteUrl,
    BASE_URL: stack.baseUrl,
    API_KEY: stack.apiKey,
    RPC_URL: stack.rpcUrl,
    CREATOR: creator!.address,
    CREATOR_KEY: creator!.privateKey,
  });
  const launched = JSON.parse(output) as { address: string; name: string; fee_bps: number };
  if (launched.name !== name || launched.fee_bps !== 100) throw new Error(`${name} was not launched: ${output}`);
  process.stdout.write(`${name}: launched ${launched.address}\n`);
}

/**
 * Checks the documents with Spectral and the parser of AsyncAPI, and launches a token over clients that @hey-api/openapi-ts, orval
 * and quicktype (Python) make of the OpenAPI document of a stack. openapi-typescript is a part of the conformance tests.
 */
async function main(): Promise<void> {
  await install();
  const data = temporaryFolder();
  // Without a contact of the operator, Spectral asks for one.
  const serverEnvironment = { ...unlimited, CONTACT_URL: "mailto:operator@example.com" };
  const stack = await startStack({ dir: data.path, serverEnvironment });
  try {
    await prepare(stack);
    await run(process.execPath, ["lintDocuments.mjs"]);
    process.stdout.write("Spectral, AsyncAPI parser: clean\n");
    await generate(stack);
    await compile();
    await launch(stack, process.execPath, ["built/heyApi.js"], "Hey Boat");
    await launch(stack, process.execPath, ["built/orval.js"], "Orval Boat");
    await launch(stack, "python3", ["launch.py"], "Python Boat");
  } finally {
    await stack.stop();
    data.remove();
  }
}

await main();
