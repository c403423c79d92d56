import type { Manifest } from "@slipway/protocol/manifest";
import { type Address, encodeDeployData, type Hex, hexToNumber, keccak256, type LocalAccount, parseEther } from "viem";
import { defaultStartTick } from "./computeLaunchConstants.ts";
import { createBroadcaster } from "./createBroadcaster.ts";
import { callRpc, createRpcClient, type RpcClient } from "./createRpcClient.ts";
import { deployAll, type RouterKind } from "./deployAll.ts";
import { DeployError } from "./deployError.ts";
import { deployEthUsdPool } from "./deployEthUsdPool.ts";
import { describeEthUsdPool } from "./describeEthUsdPool.ts";
import { describeGasStationToken } from "./describeGasStationToken.ts";
import { finishDeployment } from "./finishDeployment.ts";
import { multicall3Address, multicall3FundsInWei, multicall3Sender, publishMulticall3 } from "./multicall3.ts";
import { createMemoryJournal } from "./openDeploymentState.ts";
import { readArtifact, readVendoredArtifact } from "./readArtifact.ts";

export type LocalDeploymentOptions = {
  rpcUrl: string;
  /**
   * Pays for the ETH/USD pool, the station's float and gas; afterwards owns the stablecoins that are not in the pool.
   */
  deployer: LocalAccount;
  treasury: Address;
  /** Owner of the gas station. */
  owner: Address;
  relayer: Address;
  /** The file to which the manifest is written. */
  manifestPath: string;
  startTick?: number;
  routerKind?: RouterKind;
  /** The value of one native in the ETH/USD pool, in whole dollars. */
  usdPerNative?: bigint;
  /** The native side of the ETH/USD pool. */
  poolNativeInWei?: bigint;
  stationFloatInWei?: bigint;
  commit?: string | null;
  /** Called after each step with its number, from 1, and the number of steps. */
  onProgress?: (step: string, done: number, total: number) => void;
};

export type LocalDeployment = {
  manifest: Manifest;
  sha256: string;
  path: string;
  stablecoin: Address;
  positionManager: Address;
};

const stablecoinDecimals = 6;
const stablecoinSupply = 1_000_000_000n * 10n ** 6n;
const stepCount = 23;
const timeoutMs = 30_000;

/**
 * Deploys everything to a local chain whose node mines on demand: wrapped native, Uniswap v3, a stablecoin with permit
 * and transfer authorizations (EIP-3009),
 * the ETH/USD pool, Slipway, a gas station with float, Multicall3. Proves the deployment and writes the manifest.
 *
 * A pool returns a price of the last ten minutes only once it is that old. If anvil is started with a `--timestamp` in
 * the past, the pool does so immediately: after the deployment the chain's clock is set to the present.
 *
 * @throws DeployError, see `createBroadcaster` and `finishDeployment`; `wrong_chain` for a node that is not a
 *   development node.
 */
export async function deployLocal(options: LocalDeploymentOptions): Promise<LocalDeployment> {
  const client = createRpcClient(options.rpcUrl);
  const chainId = hexToNumber((await callRpc(client, "eth_chainId", [])) as Hex);
  const version = (await callRpc(client, "web3_clientVersion", [])) as string;
  // The stablecoin mints a large supply to the deployer: not for a shared chain.
  if (!/^anvil/i.test(version)) {
    throw new DeployError("wrong_chain", `a local deployment needs anvil, this node is ${version}`);
  }
  let done = 0;
  const deployer = createBroadcaster({
    client,
    chainId,
    account: options.deployer,
    journal: createMemoryJournal(),
    onProgress: ({ step, state }) => {
      if (state === "done") options.onProgress?.(step, ++done, stepCount);
    },
    timeoutMs,
  });

  const startTick = options.startTick ?? defaultStartTick;
  const deployed = await deployAll(deployer, {
    existing: null,
    routerKind: options.routerKind ?? "swap_router_02",
    treasury: options.treasury,
    owner: options.owner,
    relayer: options.relayer,
    startTick,
    multicall3: multicall3Address,
    stationFloatInWei: options.stationFloatInWei ?? parseEther("10"),
  });
  const { address: stablecoin } = await deployer.create(
    "stablecoin",
    encodeDeployData({ ...readArtifact("DevDollar"), args: [stablecoinSupply] }),
  );
  const positionManager = deployed.positionManager as Address;
  const { pool } = await deployEthUsdPool(deployer, {
    factory: deployed.uniswap.factory,
    positionManager,
    wrappedNative: deployed.wrappedNative,
    stablecoin,
    stablecoinDecimals,
    usdPerNative: options.usdPerNative ?? 3_000n,
    nativeInWei: options.poolNativeInWei ?? parseEther("1000"),
  });

  await deployer.send("multicall3_funds", { to: multicall3Sender, valueInWei: multicall3FundsInWei });
  await publishMulticall3(client, timeoutMs);

  await advanceClock(client);

  const { manifest, sha256 } = await finishDeployment(client, options.manifestPath, {
    chainId,
    deployed,
    treasury: options.treasury,
    startTick,
    poolInitCodeHash: keccak256(readVendoredArtifact("uniswap-v3/UniswapV3Pool").bytecode),
    ethUsd: await describeEthUsdPool(client, pool, deployed.wrappedNative),
    gasStationTokens: [await describeGasStationToken(client, chainId, stablecoin)],
    history: [],
    commit: options.commit ?? null,
    explorerUrl: null,
  });
  return { manifest, sha256, path: options.manifestPath, stablecoin, positionManager };
}

async function advanceClock(client: RpcClient): Promise<void> {
  const block = (await callRpc(client, "eth_getBlockByNumber", ["latest", false])) as { timestamp: Hex };
  const now = Math.floor(Date.now() / 1000);
  if (hexToNumber(block.timestamp) >= now - 1) return;
  await callRpc(client, "anvil_setTime", [now]);
  await callRpc(client, "evm_mine", []);
}
