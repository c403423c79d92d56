// Builds the contracts and writes the generated files: ABIs and creation code as TypeScript, artifacts as JSON, and the
// compiler's standard-JSON input for reproducible builds. `--check` writes nothing and fails if a file differs from a
// fresh build.
//
// The build is a full build of contracts/src only. With the IR pipeline the bytecode depends on the set of compiled
// files: a build with the tests, or an incremental build, would produce other bytecode.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { getForgePath } from "./getForgePath.ts";
import { computeLaunchConstants, START_TICK } from "./computeLaunchConstants.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
/** One folder for each process, so that concurrent runs do not share a build. */
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

function build(): void {
  rmSync(releaseFolder, { recursive: true, force: true });
  const options = ["--force", "--build-info", "--out", buildFolder, "--cache-path", join(releaseFolder, "cache")];
  execFileSync(getForgePath(), ["build", "contracts/src", ...options], {
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
