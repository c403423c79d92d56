import type { Address } from "viem";
import type { Deployer } from "./deployer.ts";
import { type SlipwayContracts, type SlipwaySettings, deploySlipway } from "./deploySlipway.ts";
import { deployUniswap, type RouterKind, type UniswapSet } from "./deployUniswap.ts";
import { deployWrappedNative } from "./deployWrappedNative.ts";

export type DeploymentSettings = SlipwaySettings & {
  /** The chain's Uniswap v3 and wrapped native, or null where it has none and gets its own. */
  existing: { uniswap: UniswapSet; wrappedNative: Address } | null;
  routerKind: RouterKind;
  /** Native sent to the gas station from the start. */
  stationFloatInWei: bigint;
};

export type DeployedSet = {
  wrappedNative: Address;
  uniswap: UniswapSet;
  /** Of a Uniswap that was deployed; null for an existing one. */
  positionManager: Address | null;
  slipway: SlipwayContracts;
};

/** Deploys what a chain needs for Slipway: Uniswap v3 and wrapped native where there are none, then Slipway itself. */
export async function deployAll(deployer: Deployer, settings: DeploymentSettings): Promise<DeployedSet> {
  let wrappedNative: Address;
  let uniswap: UniswapSet;
  let positionManager: Address | null = null;
  if (settings.existing === null) {
    wrappedNative = await deployWrappedNative(deployer);
    const own = await deployUniswap(deployer, wrappedNative, settings.routerKind);
    ({ positionManager } = own);
    uniswap = { factory: own.factory, router: own.router, routerKind: own.routerKind, quoter: own.quoter };
  } else {
    ({ wrappedNative, uniswap } = settings.existing);
  }
  const slipway = await deploySlipway(deployer, uniswap.factory, wrappedNative, settings);
  if (slipway.gasStation !== null && settings.stationFloatInWei > 0n) {
    await deployer.send("gas_station_float", { to: slipway.gasStation, valueInWei: settings.stationFloatInWei });
  }
  return { wrappedNative, uniswap, positionManager, slipway };
}
