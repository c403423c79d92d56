import { type Address, encodeDeployData, getContractAddress } from "viem";
import type { Deployer } from "./deployer.ts";
import { launchConstants } from "./launchConstants.ts";
import { readArtifact } from "./readArtifact.ts";

export type SlipwaySettings = {
  treasury: Address;
  /** The start price as a tick when the token is token1. */
  startTick: number;
  /** Who may withdraw the station's float, change its relayer and treasury, and pause it. */
  owner: Address;
  /** Who may carry out top-ups; null: no gas station. */
  relayer: Address | null;
};

export type SlipwayContracts = {
  launchFactory: Address;
  feeLocker: Address;
  gasStation: Address | null;
  /** The block of the factory: no launch is earlier. */
  deploymentBlock: bigint;
};

/**
 * Deploys Slipway's own contracts: LaunchFactory, which itself creates its FeeLocker, and GasStation if there is a
 * relayer.
 *
 * @throws DeployError `invalid_option` for a start tick that no launch can start at.
 */
export async function deploySlipway(
  deployer: Deployer,
  uniswapFactory: Address,
  wrappedNative: Address,
  settings: SlipwaySettings,
): Promise<SlipwayContracts> {
  const constants = launchConstants(settings.startTick);
  const { address: launchFactory, blockNumber: deploymentBlock } = await deployer.create(
    "launch_factory",
    encodeDeployData({
      ...readArtifact("LaunchFactory"),
      args: [
        uniswapFactory,
        wrappedNative,
        settings.treasury,
        constants.startTick,
        constants.sqrtPriceX96IfToken0,
        constants.sqrtPriceX96IfToken1,
        constants.liquidityIfToken0,
        constants.liquidityIfToken1,
      ],
    }),
  );
  // The first contract that the factory creates; a contract's nonce starts at one (EIP-161).
  const feeLocker = getContractAddress({ from: launchFactory, nonce: 1n });

  let gasStation: Address | null = null;
  if (settings.relayer !== null) {
    const created = await deployer.create(
      "gas_station",
      encodeDeployData({
        ...readArtifact("GasStation"),
        args: [settings.owner, settings.relayer, settings.treasury],
      }),
    );
    gasStation = created.address;
  }
  return { launchFactory, feeLocker, gasStation, deploymentBlock };
}
