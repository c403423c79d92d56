import { type Address, encodeDeployData, zeroAddress } from "viem";
import type { Deployer } from "./deployer.ts";
import { readVendoredArtifact } from "./readVendoredArtifact.ts";

export type RouterKind = "swap_router" | "swap_router_02";

/** Where a chain's Uniswap v3 is. */
export type UniswapSet = {
  factory: Address;
  router: Address;
  routerKind: RouterKind;
  quoter: Address;
};

/**
 * Deploys a Uniswap v3 of our own from its published bytecode, for a chain that has none: factory, position manager,
 * router, quoter. The factory's fee tiers stay those of its constructor (0.05%, 0.3%, 1%) and its owner is the
 * deployer, who alone could switch the pools' protocol fee on.
 *
 * @param routerKind - `swap_router_02` unless said otherwise.
 */
export async function deployUniswap(
  deployer: Deployer,
  wrappedNative: Address,
  routerKind: RouterKind = "swap_router_02",
): Promise<UniswapSet & { positionManager: Address }> {
  const factoryArtifact = readVendoredArtifact("uniswap-v3/UniswapV3Factory");
  const { address: factory } = await deployer.create("uniswap_factory", factoryArtifact.bytecode);

  // No descriptor: nobody shows these positions as pictures.
  const positionManagerArtifact = readVendoredArtifact("uniswap-v3/NonfungiblePositionManager");
  const { address: positionManager } = await deployer.create(
    "uniswap_position_manager",
    encodeDeployData({ ...positionManagerArtifact, args: [factory, wrappedNative, zeroAddress] }),
  );

  const { address: router } = await deployer.create(
    "uniswap_router",
    routerKind === "swap_router_02"
      ? encodeDeployData({
          ...readVendoredArtifact("uniswap-v3/SwapRouter02"),
          args: [zeroAddress, factory, positionManager, wrappedNative],
        })
      : encodeDeployData({ ...readVendoredArtifact("uniswap-v3/SwapRouter"), args: [factory, wrappedNative] }),
  );

  const { address: quoter } = await deployer.create(
    "uniswap_quoter",
    encodeDeployData({ ...readVendoredArtifact("uniswap-v3/QuoterV2"), args: [factory, wrappedNative] }),
  );
  return { factory, router, routerKind, quoter, positionManager };
}
