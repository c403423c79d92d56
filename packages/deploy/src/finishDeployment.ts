import { feeTiersBps, isLaunchSpacing, protocolFeeBps, toPoolFee } from "@slipway/protocol/feeTiers";
import {
  type GasStationToken,
  type LaunchDeployment,
  type Manifest,
  manifestSchema,
  templateRuntimeHash,
} from "@slipway/protocol/manifest";
import { type Address, getAddress, type Hex, hexToNumber, keccak256, numberToHex, parseAbi } from "viem";
import { callRpc, createChainReader, type RpcClient } from "./createRpcClient.ts";
import type { DeployedSet } from "./deployAll.ts";
import { DeployError } from "./deployError.ts";
import { pinContract } from "./pinContract.ts";
import { type ContractName, getImmutableOffsets, readArtifact } from "./readArtifact.ts";
import { writeManifest } from "./readManifest.ts";
import { verifyDeployment } from "./verifyDeployment.ts";

export type ManifestInput = {
  chainId: number;
  deployed: DeployedSet;
  treasury: Address;
  startTick: number;
  poolInitCodeHash: Hex;
  ethUsd: Manifest["eth_usd"];
  gasStationTokens: GasStationToken[];
  history: LaunchDeployment[];
  commit: string | null;
  explorerUrl: string | null;
};

const uniswapFactoryAbi = parseAbi([
  "function owner() view returns (address)",
  "function feeAmountTickSpacing(uint24) view returns (int24)",
]);

/**
 * Builds the manifest of a deployment from the chain. The same chain gives the same manifest, whose time is the time of
 * the deployment's block.
 *
 * @throws DeployError `deployment_unproven` when a contract of Slipway is not the compiled one, `contract_unsuitable`
 *   when a third-party contract has no code.
 */
export async function buildManifest(client: RpcClient, input: ManifestInput): Promise<Manifest> {
  const { deployed } = input;
  const { splitterFactory, splitterImplementation, launchFactory, feeLocker, gasStation, deploymentBlock } =
    deployed.slipway;
  const { creationTransactions } = deployed.slipway;
  const block = (await callRpc(client, "eth_getBlockByNumber", [numberToHex(deploymentBlock), false])) as {
    timestamp: Hex;
  };
  const [
    splitterFactoryPin,
    implementationPin,
    factoryPin,
    lockerPin,
    vestingFactoryPin,
    vestingPin,
    openingFactoryPin,
    openingPin,
    stationPin,
    uniswapFactory,
    router,
    quoter,
    wrappedNative,
    multicall3,
    factoryOwner,
    tiers,
  ] = await Promise.all([
    pinOwn(client, "SplitterFactory", splitterFactory),
    pinOwn(client, "FeeSplitter", splitterImplementation),
    pinOwn(client, "LaunchFactory", launchFactory),
    pinOwn(client, "FeeLocker", feeLocker),
    pinOwn(client, "VestingFactory", deployed.slipway.vestingFactory),
    pinOwn(client, "Vesting", deployed.slipway.vestingImplementation),
    pinOwn(client, "OpeningFactory", deployed.slipway.openingFactory),
    pinOwn(client, "Opening", deployed.slipway.openingImplementation),
    gasStation === null ? null : pinOwn(client, "GasStation", gasStation.address),
    pinContract(client, deployed.uniswap.factory, "Uniswap factory"),
    pinContract(client, deployed.uniswap.router, "Uniswap router"),
    pinContract(client, deployed.uniswap.quoter, "Uniswap quoter"),
    pinContract(client, deployed.wrappedNative, "wrapped native"),
    pinContract(client, deployed.multicall3, "Multicall3"),
    createChainReader(client).readContract({
      address: deployed.uniswap.factory,
      abi: uniswapFactoryAbi,
      functionName: "owner",
    }),
    readFeeTiers(client, deployed.uniswap.factory),
  ]);
  const { compiler } = readArtifact("LaunchFactory");
  const other = readArtifact("SplitterFactory").compiler;
  return manifestSchema.parse({
    version: 2,
    chain_id: input.chainId,
    deployed_at: new Date(hexToNumber(block.timestamp) * 1000).toISOString(),
    commit: input.commit,
    compiler: {
      solc: compiler.solc,
      evm_version: compiler.evmVersion,
      optimizer_runs: { launch: compiler.optimizer.runs, other: other.optimizer.runs },
      via_ir: compiler.viaIR,
    },
    current: {
      deployment_block: Number(deploymentBlock),
      launch_factory: { ...factoryPin, creation_transaction: creationTransactions.launchFactory },
      fee_locker: lockerPin,
      launch_token: pinTemplate("LaunchToken"),
      splitter_factory: { ...splitterFactoryPin, creation_transaction: creationTransactions.splitterFactory },
      splitter_implementation: implementationPin,
      vesting_factory: { ...vestingFactoryPin, creation_transaction: creationTransactions.vestingFactory },
      vesting_implementation: vestingPin,
      opening_factory: { ...openingFactoryPin, creation_transaction: creationTransactions.openingFactory },
      opening_implementation: openingPin,
      start_tick: input.startTick,
      fee_policy: {
        protocol_bps: protocolFeeBps,
        tiers,
      },
    },
    history: input.history,
    gas_station:
      gasStation === null || stationPin === null
        ? null
        : {
            ...stationPin,
            creation_transaction: gasStation.creationTransaction,
            owner: getAddress(gasStation.owner),
            relayer: getAddress(gasStation.relayer),
          },
    gas_station_tokens: input.gasStationTokens,
    treasury: getAddress(input.treasury),
    uniswap: {
      factory: uniswapFactory,
      factory_owner: getAddress(factoryOwner),
      router,
      router_kind: deployed.uniswap.routerKind,
      quoter,
      pool_init_code_hash: input.poolInitCodeHash,
    },
    wrapped_native: wrappedNative,
    multicall3,
    eth_usd: input.ethUsd,
    explorer_url: input.explorerUrl,
  } satisfies Manifest);
}

/** Reads the tiers of launches from the chain's Uniswap factory: those that it has with a fitting tick spacing launch. */
async function readFeeTiers(client: RpcClient, address: Address): Promise<LaunchDeployment["fee_policy"]["tiers"]> {
  const reader = createChainReader(client);
  return await Promise.all(
    feeTiersBps.map(async (feeBps) => {
      const args = [toPoolFee(feeBps)] as const;
      const contract = { address, abi: uniswapFactoryAbi, functionName: "feeAmountTickSpacing", args } as const;
      const tickSpacing = (await reader.readContract(contract)) || null;
      return {
        fee_bps: feeBps,
        protocol_bps: protocolFeeBps,
        collaborators_bps: feeBps - protocolFeeBps,
        launchable: isLaunchSpacing(tickSpacing),
        tick_spacing: tickSpacing,
      };
    }),
  );
}

async function pinOwn(client: RpcClient, name: ContractName, address: Address) {
  const artifact = readArtifact(name);
  const runtimeCode = (await callRpc(client, "eth_getCode", [address, "latest"])) as Hex;
  if (templateRuntimeHash(runtimeCode, getImmutableOffsets(artifact)) !== keccak256(artifact.deployedBytecode)) {
    throw new DeployError("deployment_unproven", `the code at ${address} is not the code of the compiled ${name}`);
  }
  return { address: getAddress(address), runtime_code_hash: keccak256(runtimeCode) };
}

function pinTemplate(name: ContractName) {
  const artifact = readArtifact(name);
  return {
    creation_code_hash: keccak256(artifact.bytecode),
    runtime_code_hash: keccak256(artifact.deployedBytecode),
    immutable_offsets: getImmutableOffsets(artifact),
  };
}

/**
 * Finishes a deployment: builds its manifest, proves the chain against it, and only then writes the file.
 *
 * @throws DeployError `deployment_unproven`, and the errors of `buildManifest` and `verifyDeployment`.
 */
export async function finishDeployment(
  client: RpcClient,
  path: string,
  input: ManifestInput,
): Promise<{ manifest: Manifest; sha256: string }> {
  const manifest = await buildManifest(client, input);
  const { checks } = await verifyDeployment(client, manifest, { creations: true });
  const failed = checks.filter((check) => !check.ok);
  if (failed.length > 0) {
    const lines = failed.map(({ name, expected, actual }) => `${name}: expected ${expected}, is ${actual}`);
    throw new DeployError("deployment_unproven", lines.join("\n"));
  }
  return { manifest, sha256: writeManifest(path, manifest) };
}
