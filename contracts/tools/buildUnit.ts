import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AbiItem } from "./formatAbi.ts";
import { getForgePath } from "./getForgePath.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

export type Unit = { name: string; runs: number; contracts: string[] };

/**
 * The compilations of the release. A contract whose code contains the creation code of another one is in the same unit.
 * The factory contains the token, which is deployed for each launch, so size matters there. The other contracts are
 * deployed once and called often. contracts/GAS.md compares the figures of both settings.
 */
export const units: readonly Unit[] = [
  { name: "launch", runs: 200, contracts: ["LaunchFactory", "LaunchToken", "FeeLocker"] },
  { name: "other", runs: 1_000_000, contracts: ["SplitterFactory", "FeeSplitter", "GasStation", "DevStablecoin"] },
  { name: "vesting", runs: 1_000_000, contracts: ["VestingFactory", "Vesting"] },
  { name: "opening", runs: 1_000_000, contracts: ["OpeningFactory", "Opening"] },
  { name: "dev", runs: 1_000_000, contracts: ["DevDollar"] },
];

export interface AstNode {
  id: number;
  nodeType: string;
  name?: string;
  mutability?: string;
  nodes?: AstNode[];
}

export interface ForgeArtifact {
  abi: AbiItem[];
  bytecode: { object: string };
  deployedBytecode: { object: string; immutableReferences?: Record<string, { start: number; length: number }[]> };
  methodIdentifiers: Record<string, string>;
  ast: AstNode;
  metadata: { compiler: { version: string }; settings: { evmVersion: string; optimizer: object; viaIR: boolean } };
}

/**
 * Builds only the sources of a unit, from scratch. With the IR pipeline, the bytecode depends on the set of compiled
 * files: a build with the tests, or an incremental build, would produce different bytecode.
 *
 * @param folder Replaced by the build.
 * @returns the folder of the built artifacts.
 */
export function buildUnit(unit: Unit, folder: string): string {
  const out = join(folder, "out");
  rmSync(folder, { recursive: true, force: true });
  const sources = unit.contracts.map((name) => {
    const path = `contracts/src/${name}.sol`;
    return existsSync(join(root, path)) ? path : `contracts/src/dev/${name}.sol`;
  });
  const options = ["--force", "--build-info", "--ast", "--out", out, "--cache-path", join(folder, "cache")];
  execFileSync(getForgePath(), ["build", ...sources, ...options], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, FOUNDRY_PROFILE: "release", FOUNDRY_OPTIMIZER_RUNS: String(unit.runs) },
  });
  return out;
}

/** Reads the artifact of one contract in a folder that `buildUnit` returned. */
export function readBuilt(out: string, name: string): ForgeArtifact {
  return JSON.parse(readFileSync(join(out, `${name}.sol`, `${name}.json`), "utf8")) as ForgeArtifact;
}
