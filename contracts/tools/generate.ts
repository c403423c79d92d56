// Writes what other packages take from a forge build: ABIs and creation code as TypeScript, artifacts as JSON, and the
// compiler's standard-JSON input, by which anybody can reproduce them. `--check` writes nothing and fails when a file
// differs from a fresh build.
//
// The build is of contracts/src alone, from nothing: through the IR pipeline the bytecode depends on which other files
// are compiled along, so neither a build with the tests nor an incremental one would give the same bytes each time.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { forgePath } from "./forgePath.ts";
import { launchConstants, START_TICK } from "./launchConstants.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
/** A folder of this run alone: two runs at once must not read each other's build. */
const releaseFolder = join(root, ".cache", `forge-release-${process.pid}`);
const buildFolder = join(releaseFolder, "out");
const typescriptFolder = join(root, "packages", "protocol", "src", "contracts");
const artifactFolder = join(root, "contracts", "artifacts");

const contracts = ["LaunchFactory", "LaunchToken", "FeeLocker", "FeeSplitter", "GasStation", "DevStablecoin"];
const withoutTypescript = new Set(["DevStablecoin"]);
const withCreationCode = new Set(["LaunchToken", "FeeSplitter"]);
const header = "// Written by contracts/tools/generate.ts from the compiled contracts. Do not edit.\n";

interface ForgeArtifact {
  abi: unknown[];
  bytecode: { object: string };
  deployedBytecode: { object: string; immutableReferences?: Record<string, { start: number; length: number }[]> };
  methodIdentifiers: Record<string, string>;
  metadata: { compiler: { version: string }; settings: { evmVersion: string; optimizer: object; viaIR: boolean } };
}

const isCheck = process.argv.includes("--check");
build();

const outputs = new Map<string, string>();
for (const name of contracts) addContract(name);
addStandardInput();
addConstants();
rmSync(releaseFolder, { recursive: true, force: true });

const differing = [...outputs].filter(([path, text]) => !existsSync(path) || readFileSync(path, "utf8") !== text);
if (isCheck) {
  for (const [path] of differing) console.error(`differs from a fresh build: ${relative(root, path)}`);
  process.exitCode = differing.length === 0 ? 0 : 1;
} else {
  for (const [path, text] of differing) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    console.log(`wrote ${relative(root, path)}`);
  }
}

function build(): void {
  rmSync(releaseFolder, { recursive: true, force: true });
  const options = ["--force", "--build-info", "--out", buildFolder, "--cache-path", join(releaseFolder, "cache")];
  execFileSync(forgePath(), ["build", "contracts/src", ...options], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, FOUNDRY_PROFILE: "release" },
  });
}

function addContract(name: string): void {
  const built = JSON.parse(readFileSync(join(buildFolder, `${name}.sol`, `${name}.json`), "utf8")) as ForgeArtifact;
  const { compiler, settings } = built.metadata;
  const artifact = {
    contractName: name,
    abi: built.abi,
    bytecode: built.bytecode.object,
    deployedBytecode: built.deployedBytecode.object,
    immutableReferences: Object.values(built.deployedBytecode.immutableReferences ?? {})
      .flat()
      .sort((a, b) => a.start - b.start),
    methodIdentifiers: built.methodIdentifiers,
    compiler: {
      solc: compiler.version,
      evmVersion: settings.evmVersion,
      optimizer: settings.optimizer,
      viaIR: settings.viaIR,
    },
  };
  outputs.set(join(artifactFolder, `${name}.json`), `${JSON.stringify(artifact, null, 2)}\n`);

  if (withoutTypescript.has(name)) return;
  const camelName = name.charAt(0).toLowerCase() + name.slice(1);
  outputs.set(
    join(typescriptFolder, `${camelName}.ts`),
    `${header}\nexport const ${camelName}Abi = ${JSON.stringify(built.abi, null, 2)} as const;\n`,
  );
  if (!withCreationCode.has(name)) return;
  outputs.set(
    join(typescriptFolder, `${camelName}CreationCode.ts`),
    `${header}\nexport const ${camelName}CreationCode =\n  "${built.bytecode.object}";\n`,
  );
}

function addStandardInput(): void {
  const folder = join(buildFolder, "build-info");
  const [file] = readdirSync(folder);
  if (file === undefined) throw new Error("forge wrote no build-info");
  const { input } = JSON.parse(readFileSync(join(folder, file), "utf8")) as {
    input: { language: string; sources: Record<string, unknown>; settings: Record<string, unknown> };
  };
  const sources = Object.fromEntries(Object.entries(input.sources).sort(([a], [b]) => (a < b ? -1 : 1)));
  const standardInput = { language: input.language, sources, settings: input.settings };
  outputs.set(join(artifactFolder, "standardInput.json"), `${JSON.stringify(standardInput, null, 2)}\n`);
}

function addConstants(): void {
  const constants = launchConstants(START_TICK);
  const asText = Object.fromEntries(Object.entries(constants).map(([key, value]) => [key, value.toString()]));
  outputs.set(join(artifactFolder, "launchConstants.json"), `${JSON.stringify(asText, null, 2)}\n`);
  const lines = Object.entries(constants).map(([key, value]) => `  ${key}: ${value}n,`);
  outputs.set(
    join(typescriptFolder, "launchConstants.ts"),
    `${header}\n/** What a LaunchFactory of the default start tick is deployed with. */\n` +
      `export const defaultLaunchConstants = {\n${lines.join("\n")}\n} as const;\n`,
  );
}
