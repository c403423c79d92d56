// Builds the contracts and writes the generated files: ABIs as text and creation code as TypeScript, artifacts as JSON, and the
// compiler's standard-JSON input for reproducible builds. `--check` writes nothing and fails if a file differs from a
// fresh build.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { buildUnit, type ForgeArtifact, readBuilt, units } from "./buildUnit.ts";
import { computeLaunchConstants, START_TICK } from "./computeLaunchConstants.ts";
import { formatAbi } from "./formatAbi.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
/** One folder for each process, so that concurrent runs do not share a build. */
const releaseFolder = join(root, ".cache", `forge-release-${process.pid}`);
const typescriptFolder = join(root, "packages", "protocol", "src", "contracts");
const artifactFolder = join(root, "contracts", "artifacts");

const withoutTypescript = new Set(["DevStablecoin", "DevDollar"]);
const withCreationCode = new Set(["LaunchToken"]);
const header = "// Written by contracts/tools/generate.ts from the compiled contracts. Do not edit.\n";

const isCheck = process.argv.includes("--check");
const outputs = new Map<string, string>();
// A test compares the published standard JSON with the chain, and reads what was compiled of it here.
process.env.STORE_DEPLOYED_CODE = join(root, ".cache", "solc");
process.on("exit", () => rmSync(releaseFolder, { recursive: true, force: true }));
for (const unit of units) {
  const folder = buildUnit(unit, join(releaseFolder, unit.name));
  for (const name of unit.contracts) addContract(unit.name, folder, name);
  addStandardInput(unit.name, folder);
}
addConstants();

const changed = [...outputs].filter(([path, text]) => !existsSync(path) || readFileSync(path, "utf8") !== text);
if (isCheck) {
  for (const [path] of changed) console.error(`differs from a fresh build: ${relative(root, path)}`);
  process.exitCode = changed.length === 0 ? 0 : 1;
} else {
  for (const [path, text] of changed) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    console.log(`wrote ${relative(root, path)}`);
  }
}

function addContract(unit: string, buildFolder: string, name: string): void {
  const built = readBuilt(buildFolder, name);
  const { compiler, settings } = built.metadata;
  const references = built.deployedBytecode.immutableReferences ?? {};
  const names = readImmutableNames(buildFolder);
  const artifact = {
    contractName: name,
    abi: built.abi,
    bytecode: built.bytecode.object,
    deployedBytecode: built.deployedBytecode.object,
    immutableReferences: Object.values(references)
      .flat()
      .sort((a, b) => a.start - b.start),
    immutables: Object.entries(references)
      .map(([id, places]) => ({ name: names.get(Number(id)), starts: places.map(({ start }) => start) }))
      .sort((a, b) => (a.starts[0] ?? 0) - (b.starts[0] ?? 0)),
    methodIdentifiers: built.methodIdentifiers,
    compiler: {
      solc: compiler.version,
      evmVersion: settings.evmVersion,
      optimizer: settings.optimizer,
      viaIR: settings.viaIR,
    },
    standardInput: `standardInput.${unit}.json`,
  };
  outputs.set(join(artifactFolder, `${name}.json`), `${JSON.stringify(artifact, null, 2)}\n`);

  if (withoutTypescript.has(name)) return;
  const camelName = name.charAt(0).toLowerCase() + name.slice(1);
  outputs.set(
    join(typescriptFolder, `${camelName}.ts`),
    `${header}import { parseAbi } from "viem";\n\n` +
      `export const ${camelName}Abi = parseAbi(${JSON.stringify(formatAbi(built.abi), null, 2)});\n`,
  );
  if (!withCreationCode.has(name)) return;
  outputs.set(
    join(typescriptFolder, `${camelName}CreationCode.ts`),
    `${header}\nexport const ${camelName}CreationCode =\n  "${built.bytecode.object}";\n`,
  );
}

/** Returns the names of all immutables of a build by AST id, also those of base contracts. */
function readImmutableNames(buildFolder: string): Map<number, string> {
  const names = new Map<number, string>();
  const files = readdirSync(buildFolder, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.includes(".sol/"),
  );
  for (const file of files) {
    const { ast } = JSON.parse(readFileSync(join(buildFolder, file), "utf8")) as Partial<ForgeArtifact>;
    for (const contract of ast?.nodes ?? []) {
      for (const { id, name, mutability } of contract.nodes ?? []) {
        if (mutability === "immutable" && name !== undefined) names.set(id, name);
      }
    }
  }
  return names;
}

function addStandardInput(unit: string, buildFolder: string): void {
  const folder = join(buildFolder, "build-info");
  const [file] = readdirSync(folder);
  if (file === undefined) throw new Error("forge wrote no build-info");
  const { input } = JSON.parse(readFileSync(join(folder, file), "utf8")) as {
    input: { language: string; sources: Record<string, unknown>; settings: Record<string, unknown> };
  };
  const sources = Object.fromEntries(Object.entries(input.sources).sort(([a], [b]) => (a < b ? -1 : 1)));
  const standardInput = { language: input.language, sources, settings: input.settings };
  outputs.set(join(artifactFolder, `standardInput.${unit}.json`), `${JSON.stringify(standardInput, null, 2)}\n`);
}

function addConstants(): void {
  const constants = computeLaunchConstants(START_TICK);
  const asText = Object.fromEntries(Object.entries(constants).map(([key, value]) => [key, value.toString()]));
  outputs.set(join(artifactFolder, "launchConstants.json"), `${JSON.stringify(asText, null, 2)}\n`);
  const lines = Object.entries(constants).map(([key, value]) => `  ${key}: ${value}n,`);
  outputs.set(
    join(typescriptFolder, "launchConstants.ts"),
    `${header}\n/** The constructor constants of a LaunchFactory with the default start tick. */\n` +
      `export const defaultLaunchConstants = {\n${lines.join("\n")}\n} as const;\n`,
  );
}
