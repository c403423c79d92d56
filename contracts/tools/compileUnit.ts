import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AbiItem } from "./formatAbi.ts";
import { getForgePath } from "./getForgePath.ts";
import { readSources } from "./readSources.ts";
import { compileInput } from "./solcInput.mjs";

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

/** A standard JSON input: sources by path, and the settings. */
export type StandardInput = {
  language: "Solidity";
  sources: Record<string, { content: string }>;
  settings: Record<string, unknown>;
};

export type AstNode = {
  id: number;
  nodeType: string;
  name?: string;
  mutability?: string;
  nodes?: AstNode[];
};

/** One contract of the compiler's output. Code is hexadecimal, without a prefix. */
export type CompiledContract = {
  abi: AbiItem[];
  evm: {
    bytecode: { object: string };
    deployedBytecode: { object: string; immutableReferences?: Record<string, { start: number; length: number }[]> };
    methodIdentifiers: Record<string, string>;
  };
  /** A JSON text. */
  metadata: string;
};

type Output = {
  errors?: { severity: string; formattedMessage: string }[];
  contracts: Record<string, Record<string, CompiledContract>>;
  sources: Record<string, { ast: AstNode }>;
};

/** The result of one unit. */
export type CompiledUnit = { input: StandardInput; contracts: Record<string, CompiledContract>; asts: AstNode[] };

/** Settings of the profile `release` in foundry.toml. */
type ForgeProfile = {
  remappings: string[];
  optimizer: boolean;
  evm_version: string;
  via_ir: boolean;
  bytecode_hash: string;
  cbor_metadata: boolean;
};

let releaseProfile: ForgeProfile | null = null;

function readReleaseProfile(): ForgeProfile {
  const environment = { ...process.env, FOUNDRY_PROFILE: "release" };
  const options = { cwd: root, encoding: "utf8", env: environment, maxBuffer: 2 ** 24 } as const;
  releaseProfile ??= JSON.parse(execFileSync(getForgePath(), ["config", "--json"], options)) as ForgeProfile;
  return releaseProfile;
}

/** Returns the settings of a unit, with all outputs that its artifacts and verifiers need. */
function createSettings(unit: Unit): StandardInput["settings"] {
  const { remappings, optimizer, evm_version, via_ir, bytecode_hash, cbor_metadata } = readReleaseProfile();
  const toOutputs = (code: string) => ["object", "sourceMap", "linkReferences"].map((name) => `evm.${code}.${name}`);
  return {
    remappings,
    optimizer: { enabled: optimizer, runs: unit.runs },
    metadata: { useLiteralContent: false, bytecodeHash: bytecode_hash, appendCBOR: cbor_metadata },
    outputSelection: {
      "*": {
        "": ["ast"],
        "*": [
          "abi",
          ...toOutputs("bytecode"),
          ...toOutputs("deployedBytecode"),
          "evm.deployedBytecode.immutableReferences",
          "evm.methodIdentifiers",
          "metadata",
        ],
      },
    },
    evmVersion: evm_version,
    viaIR: via_ir,
    libraries: {},
  };
}

/**
 * Compiles only the sources of a unit, because with the IR pipeline, the bytecode depends on the set of compiled files. All
 * units are compiled in this process, which loads the compiler once.
 *
 * @param options.store Stores the deployed code for later processes (solcInput.mjs).
 * @throws Error with the compiler's messages
 */
export function compileUnit(unit: Unit, { store = false } = {}): CompiledUnit {
  const entries = unit.contracts.map((name) => {
    const path = `contracts/src/${name}.sol`;
    return existsSync(join(root, path)) ? path : `contracts/src/dev/${name}.sol`;
  });
  const sources = [...readSources(entries, { root, remappings: readReleaseProfile().remappings })]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, content]) => [path, { content }] as const);
  const input: StandardInput = {
    language: "Solidity",
    sources: Object.fromEntries(sources),
    settings: createSettings(unit),
  };
  const output = JSON.parse(compileInput(JSON.stringify(input), { store })) as Output;
  const errors = (output.errors ?? []).filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join("\n"));
  const contracts = entries.map((path, index) => {
    const name = unit.contracts[index]!;
    return [name, output.contracts[path]![name]!] as const;
  });
  return {
    input,
    contracts: Object.fromEntries(contracts),
    asts: Object.values(output.sources).map(({ ast }) => ast),
  };
}
