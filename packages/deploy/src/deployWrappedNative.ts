import type { Address } from "viem";
import type { Deployer } from "./deployer.ts";
import { readVendoredArtifact } from "./readVendoredArtifact.ts";

/** Deploys WETH9. Returns its address. */
export async function deployWrappedNative(deployer: Deployer): Promise<Address> {
  const { address } = await deployer.create("wrapped_native", readVendoredArtifact("wrapped-native/WETH9").bytecode);
  return address;
}
