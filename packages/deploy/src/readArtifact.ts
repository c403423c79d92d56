import { readFileSync } from "node:fs";
import type { Abi, Hex } from "viem";
import { DeployError } from "./deployError.ts";

/** A compiled contract of Slipway, as contracts/tools/generate.ts writes it. */
export type Artifact = {
  contractName: string;
  abi: Abi;
  bytecode: Hex;
  deployedBytecode: Hex;
  immutableReferences: { start: number; length: number }[];
  /** Every immutable, private ones included, with the offsets of its words in the runtime code. */
  immutables: { name: string; starts: number[] }[];
  /** The file in contracts/artifacts with the compiler's input. */
  standardInput: string;
  compiler: { solc: string; evmVersion: string; optimizer: { enabled: boolean; runs: number }; viaIR: boolean };
};

export type ContractName =
  | "LaunchFactory"
  | "LaunchToken"
  | "FeeLocker"
  | "SplitterFactory"
  | "FeeSplitter"
  | "GasStation"
  | "VestingFactory"
  | "Vesting"
  | "OpeningFactory"
  | "Opening"
  | "DevDollar";

/**
 * Reads the compiled contract of a name from contracts/artifacts.
 *
 * @throws DeployError `artifact_missing`.
 */
export function readArtifact(name: ContractName): Artifact {
  return readContractJson<Artifact>(`artifacts/${name}`);
}

/** A published third-party contract, as contracts/vendor/check.ts writes it. */
export type VendoredArtifact = { contractName: string; abi: Abi; bytecode: Hex };

export type VendoredName =
  | "uniswap-v3/UniswapV3Factory"
  | "uniswap-v3/UniswapV3Pool"
  | "uniswap-v3/SwapRouter"
  | "uniswap-v3/SwapRouter02"
  | "uniswap-v3/QuoterV2"
  | "uniswap-v3/NonfungiblePositionManager"
  | "wrapped-native/WETH9"
  | "multicall3/Multicall3";

/**
 * Reads the published contract of a name from contracts/vendor.
 *
 * @throws DeployError `artifact_missing`.
 */
export function readVendoredArtifact(name: VendoredName): VendoredArtifact {
  return readContractJson<VendoredArtifact>(`vendor/${name}`);
}

const folder = new URL("../../../contracts/", import.meta.url);
const known = new Map<string, unknown>();

/**
 * Reads a JSON file of the contracts folder, once.
 *
 * @param path - Below contracts/, without `.json`.
 * @throws DeployError `artifact_missing`.
 */
export function readContractJson<T>(path: string): T {
  const cached = known.get(path);
  if (cached !== undefined) return cached as T;
  let text: string;
  try {
    text = readFileSync(new URL(`${path}.json`, folder), "utf8");
  } catch (cause) {
    throw new DeployError("artifact_missing", `contracts/${path}.json does not exist`, { cause });
  }
  const content = JSON.parse(text) as T;
  known.set(path, content);
  return content;
}

/**
 * Returns the positions of immutable values in the runtime code of a compiled contract, as [start, length] in bytes.
 */
export function getImmutableOffsets(artifact: Artifact): [start: number, length: number][] {
  return artifact.immutableReferences.map(({ start, length }) => [start, length]);
}
