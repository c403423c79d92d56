// Builds the contracts and writes the generated files: ABIs as text and creation code as TypeScript, artifacts as JSON, and the
// compiler's standard-JSON input for reproducible builds. `--check` writes nothing and fails if a file differs from a
// fresh build.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type AstNode, type CompiledUnit, compileUnit, units } from "./compileUnit.ts";
import { computeLaunchConstants, START_TICK } from "./computeLaunchConstants.ts";
import { formatAbi, orderAbi } from "./formatAbi.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const typescriptFolder = join(root, "packages", "protocol", "src", "contracts");
const artifactFolder = join(root, "contracts", "artifacts");

const withoutTypescript = new Set(["DevStablecoin", "DevDollar"]);
const withCreationCode = new Set(["LaunchToken"]);
const header = "// Written by contracts/tools/generate.ts from the compiled contracts. Do not edit.\n";

const isCheck = process.argv.includes("--check");
const outputs = new Map<string, string>();
for (const unit of units) {
  // A test compares the published standard JSON with the chain, and reuses the code that is compiled here.
  const compiled = compileUnit(unit, { store: true });
  for (const name of unit.contracts) addContract(unit.name, compiled, name);
  outputs.set(join(artifactFolder, `standardInput.${unit.name}.json`), `${JSON.stringify(compiled.input, null, 2)}\n`);
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

function addContract(unit: string, compiled: CompiledUnit, name: string): void {
  const { evm, metadata, ...contract } = compiled.contracts[name]!;
  const abi = orderAbi(contract.abi);
  const { compiler, settings } = JSON.parse(metadata) as {
    compiler: { version: string };
    settings: { evmVersion: string; optimizer: object; viaIR: boolean };
  };
  const references = evm.deployedBytecode.immutableReferences ?? {};
  const names = getImmutableNames(compiled.asts);
  const artifact = {
    contractName: name,
    abi,
    bytecode: `0x${evm.bytecode.object}`,
    deployedBytecode: `0x${evm.deployedBytecode.object}`,
    immutableReferences: Object.values(references)
      .flat()
      .map(({ start, length }) => ({ start, length }))
      .sort((a, b) => a.start - b.start),
    immutables: Object.entries(references)
      .map(([id, places]) => ({ name: names.get(Number(id)), starts: places.map(({ start }) => start) }))
      .sort((a, b) => (a.starts[0] ?? 0) - (b.starts[0] ?? 0)),
    methodIdentifiers: evm.methodIdentifiers,
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
      `export const ${camelName}Abi = parseAbi(${JSON.stringify(formatAbi(abi), null, 2)});\n`,
  );
  if (!withCreationCode.has(name)) return;
  outputs.set(
    join(typescriptFolder, `${camelName}CreationCode.ts`),
    `${header}\nexport const ${camelName}CreationCode =\n  "0x${evm.bytecode.object}";\n`,
  );
}

/** Returns the names of all immutables of a unit by AST id, also those of base contracts. */
function getImmutableNames(asts: readonly AstNode[]): Map<number, string> {
  const variables = asts.flatMap(({ nodes = [] }) => nodes).flatMap(({ nodes = [] }) => nodes);
  const immutables = variables.filter(({ mutability }) => mutability === "immutable");
  return new Map(immutables.map(({ id, name }) => [id, name!]));
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
