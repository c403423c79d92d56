import type { Abi, Hex } from "viem";
import { readContractJson } from "./readContractJson.ts";

/** A compiled contract of ours, as contracts/tools/generate.ts writes it. */
export type Artifact = {
  contractName: string;
  abi: Abi;
  bytecode: Hex;
  deployedBytecode: Hex;
  immutableReferences: { start: number; length: number }[];
  compiler: { solc: string; evmVersion: string; optimizer: { enabled: boolean; runs: number }; viaIR: boolean };
};

export type ContractName =
  | "LaunchFactory"
  | "LaunchToken"
  | "FeeLocker"
  | "FeeSplitter"
  | "GasStation"
  | "DevStablecoin";

/**
 * The compiled contract of a name, from contracts/artifacts.
 *
 * @throws DeployError `artifact_missing`.
 */
export function readArtifact(name: ContractName): Artifact {
  return readContractJson<Artifact>(`artifacts/${name}`);
}
