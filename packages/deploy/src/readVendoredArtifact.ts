import type { Abi, Hex } from "viem";
import { readContractJson } from "./readContractJson.ts";

/** A published contract of others, as contracts/vendor/check.ts writes it. */
export type VendoredArtifact = { contractName: string; abi: Abi; bytecode: Hex };

export type VendoredName =
  | "uniswap-v3/UniswapV3Factory"
  | "uniswap-v3/UniswapV3Pool"
  | "uniswap-v3/SwapRouter"
  | "uniswap-v3/SwapRouter02"
  | "uniswap-v3/QuoterV2"
  | "uniswap-v3/NonfungiblePositionManager"
  | "wrapped-native/WETH9";

/**
 * The published contract of a name, from contracts/vendor.
 *
 * @throws DeployError `artifact_missing`.
 */
export function readVendoredArtifact(name: VendoredName): VendoredArtifact {
  return readContractJson<VendoredArtifact>(`vendor/${name}`);
}
