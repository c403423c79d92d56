import {
  type Address,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  parseAbi,
  zeroAddress,
} from "viem";
import { computeLaunchConstants } from "./computeLaunchConstants.ts";
import type { Deployer } from "./deployer.ts";
import { readArtifact, readVendoredArtifact } from "./readArtifact.ts";

export type DeploymentSettings = SlipwaySettings & {
  /** The chain's Uniswap v3 and wrapped native; null if they must be deployed. */
  existing: { uniswap: UniswapSet; wrappedNative: Address } | null;
  routerKind: RouterKind;
  /** The chain's Multicall3; null if it must be deployed. */
  multicall3: Address | null;
  /** Native sent to the gas station at its deployment. */
  stationFloatInWei: bigint;
};

export type DeployedSet = {
  wrappedNative: Address;
  uniswap: UniswapSet;
  /** The position manager of a deployed Uniswap; null for an existing Uniswap. */
  positionManager: Address | null;
  multicall3: Address;
  slipway: SlipwayContracts;
};

/**
 * Deploys the contracts that Slipway needs on a chain: Uniswap v3 and wrapped native if missing, then Slipway, then
 * Multicall3 if missing.
 */
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
    await deployer.send("gas_station_float", {
      to: slipway.gasStation.address,
      valueInWei: settings.stationFloatInWei,
    });
  }
  const multicall3 =
    settings.multicall3 ??
    (await deployer.create("multicall3", readVendoredArtifact("multicall3/Multicall3").bytecode)).address;
  return { wrappedNative, uniswap, positionManager, multicall3, slipway };
}

export type SlipwaySettings = {
  treasury: Address;
  /** The start price as a tick when the token is token1. */
  startTick: number;
  /** The account that may withdraw the station's float, change its relayer and treasury, and pause it. */
  owner: Address;
  /** The account that may carry out top-ups; null: no gas station. */
  relayer: Address | null;
};

export type SlipwayContracts = {
  splitterFactory: Address;
  splitterImplementation: Address;
  launchFactory: Address;
  feeLocker: Address;
  vestingFactory: Address;
  vestingImplementation: Address;
  openingFactory: Address;
  openingImplementation: Address;
  gasStation: { address: Address; owner: Address; relayer: Address; creationTransaction: Hex } | null;
  creationTransactions: { splitterFactory: Hex; launchFactory: Hex; vestingFactory: Hex; openingFactory: Hex };
  /** The splitter factory's block: no splitter and no launch is earlier. */
  deploymentBlock: bigint;
};

/**
 * Deploys Slipway's own contracts: SplitterFactory, whose constructor creates the splitter implementation,
 * LaunchFactory, whose constructor creates its FeeLocker, VestingFactory and OpeningFactory, whose constructors
 * create the implementations of vestings and openings, and GasStation if there is a relayer.
 *
 * @throws DeployError `invalid_option` for a start tick at which no launch can start.
 */
export async function deploySlipway(
  deployer: Deployer,
  uniswapFactory: Address,
  wrappedNative: Address,
  settings: SlipwaySettings,
): Promise<SlipwayContracts> {
  const constants = computeLaunchConstants(settings.startTick);
  const splitters = await deployer.create(
    "splitter_factory",
    encodeDeployData({ ...readArtifact("SplitterFactory"), args: [wrappedNative] }),
  );
  const launches = await deployer.create(
    "launch_factory",
    encodeDeployData({
      ...readArtifact("LaunchFactory"),
      args: [
        uniswapFactory,
        wrappedNative,
        splitters.address,
        settings.treasury,
        constants.startTick,
        constants.sqrtPriceX96IfToken0,
        constants.sqrtPriceX96IfToken1,
        constants.liquidityIfToken0,
        constants.liquidityIfToken1,
      ],
    }),
  );
  const vestings = await deployer.create("vesting_factory", readArtifact("VestingFactory").bytecode);
  const openings = await deployer.create(
    "opening_factory",
    encodeDeployData({ ...readArtifact("OpeningFactory"), args: [launches.address] }),
  );
  // The first contract that each factory creates; a contract's nonce starts at one (EIP-161).
  const splitterImplementation = getContractAddress({ from: splitters.address, nonce: 1n });
  const feeLocker = getContractAddress({ from: launches.address, nonce: 1n });
  const vestingImplementation = getContractAddress({ from: vestings.address, nonce: 1n });
  const openingImplementation = getContractAddress({ from: openings.address, nonce: 1n });

  let gasStation: SlipwayContracts["gasStation"] = null;
  const { owner, relayer } = settings;
  if (relayer !== null) {
    const created = await deployer.create(
      "gas_station",
      encodeDeployData({
        ...readArtifact("GasStation"),
        args: [owner, relayer, settings.treasury],
      }),
    );
    gasStation = { address: created.address, owner, relayer, creationTransaction: created.transactionHash };
  }
  return {
    splitterFactory: splitters.address,
    splitterImplementation,
    launchFactory: launches.address,
    feeLocker,
    vestingFactory: vestings.address,
    vestingImplementation,
    openingFactory: openings.address,
    openingImplementation,
    gasStation,
    creationTransactions: {
      splitterFactory: splitters.transactionHash,
      launchFactory: launches.transactionHash,
      vestingFactory: vestings.transactionHash,
      openingFactory: openings.transactionHash,
    },
    deploymentBlock: splitters.blockNumber,
  };
}

export type RouterKind = "swap_router" | "swap_router_02";

/** The addresses of a chain's Uniswap v3. */
export type UniswapSet = {
  factory: Address;
  router: Address;
  routerKind: RouterKind;
  quoter: Address;
};

const uniswapFactoryAbi = parseAbi([
  "function enableFeeAmount(uint24 fee, int24 tickSpacing)",
  "function setOwner(address owner)",
]);

/** The fee tiers of launches that the factory's constructor does not enable, in hundredths of a basis point. */
const addedTiers = [
  { fee: 5_000, tickSpacing: 100 },
  { fee: 1_000, tickSpacing: 20 },
];

/**
 * Deploys a Uniswap v3 of our own from its published bytecode, for a chain that has none: factory, position manager,
 * router, quoter. The factory has the tiers of its constructor (0.05%, 0.3%, 1%) and of `addedTiers`, and no owner: an
 * owner could take up to a quarter of the fees of every pool, also of earlier launches.
 *
 * @param routerKind - Default `swap_router_02`.
 */
export async function deployUniswap(
  deployer: Deployer,
  wrappedNative: Address,
  routerKind: RouterKind = "swap_router_02",
): Promise<UniswapSet & { positionManager: Address }> {
  const factoryArtifact = readVendoredArtifact("uniswap-v3/UniswapV3Factory");
  const { address: factory } = await deployer.create("uniswap_factory", factoryArtifact.bytecode);
  for (const { fee, tickSpacing } of addedTiers) {
    const args = [fee, tickSpacing] as const;
    const data = encodeFunctionData({ abi: uniswapFactoryAbi, functionName: "enableFeeAmount", args });
    await deployer.send(`uniswap_fee_tier_${fee}`, { to: factory, data });
  }
  const data = encodeFunctionData({ abi: uniswapFactoryAbi, functionName: "setOwner", args: [zeroAddress] });
  await deployer.send("uniswap_owner", { to: factory, data });

  // No descriptor: these positions are not displayed as images.
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

/** Deploys WETH9. Returns its address. */
export async function deployWrappedNative(deployer: Deployer): Promise<Address> {
  const { address } = await deployer.create("wrapped_native", readVendoredArtifact("wrapped-native/WETH9").bytecode);
  return address;
}
