import type { GasStationToken, Manifest } from "@slipway/protocol/manifest";
import { type Address, type Hex, keccak256, parseEther } from "viem";
import { computeLaunchConstants, defaultStartTick } from "../computeLaunchConstants.ts";
import type { RpcClient } from "../createRpcClient.ts";
import type { DeploymentSettings, RouterKind } from "../deployAll.ts";
import { DeployError } from "../deployError.ts";
import { describeEthUsdPool } from "../describeEthUsdPool.ts";
import { describeGasStationToken } from "../describeGasStationToken.ts";
import { findMulticall3 } from "../multicall3.ts";
import { readVendoredArtifact } from "../readArtifact.ts";
import { readManifestFile } from "../readManifest.ts";
import { type ExistingUniswap, readUniswapSet } from "../readUniswapSet.ts";
import { addressOption, integerOption, type OptionValues, parseAddress, textOption } from "./parseOptions.ts";

export const deploymentHelp = `Deploys Slipway's contracts and writes the chain's manifest. A dry run without --broadcast.

  contracts:deploy --treasury <address> [options]

  --rpc-url <url>               the chain's JSON-RPC endpoint; RPC_URL when left out
  --chain-id <id>               refuse any other chain
  --broadcast                   send the transactions; without it nothing is sent and nothing is written

The deployer's key is never on the command line:
  DEPLOYER_PRIVATE_KEY          environment variable, 0x and 64 hex digits
  --keystore <file>             or an encrypted keystore (version 3); its password from DEPLOYER_KEYSTORE_PASSWORD,
                                or asked for on the terminal
  --from <address>              enough for a dry run

The operator's settings:
  --treasury <address>          receives the protocol's part of the fees (required)
  --relayer <address>           may carry out network-fee top-ups; without it there is no gas station
  --owner <address>             owns the gas station; the deployer when left out
  --gas-station-tokens <a,b>    stablecoins the gas station takes
  --gas-station-float <amount>  native to put into the gas station, such as 0.5
  --start-tick <tick>           start price of every launch; 203400 (about 1.5 native for the supply) when left out
  --uniswap <file>              the chain's own Uniswap v3: JSON with factory, router, router_kind (swap_router or
                                swap_router_02), quoter, wrapped_native; without it a set of our own is deployed
  --router <kind>               swap_router_02 (when left out) or swap_router, for a set of our own
  --eth-usd-pool <address>      the pool that prices native in USD; without it there are no USD values
  --explorer-url <url>          the chain's block explorer

  --out <file>                  the manifest; contracts/deployments/<chain id>.json when left out
  --history <manifest>          an earlier deployment on this chain, to go into the manifest's history; its Uniswap, wrapped native and ETH/USD pool are taken over
  --verification-dir <folder>   write standard-JSON input for explorer verification
  --commit <hash>               the commit in the manifest; the repository's when left out
  --timeout <seconds>           how long a transaction may wait for its block; 180 when left out

An interrupted deployment goes on when the same command is given again: every signed transaction is in a state file
beside the manifest before it is sent.

Exit codes: 0 done, 64 to 78 as in sysexits.h.
`;

export const deploymentOptions = {
  "rpc-url": { type: "string" },
  "chain-id": { type: "string" },
  broadcast: { type: "boolean" },
  keystore: { type: "string" },
  from: { type: "string" },
  treasury: { type: "string" },
  relayer: { type: "string" },
  owner: { type: "string" },
  "gas-station-tokens": { type: "string" },
  "gas-station-float": { type: "string" },
  "start-tick": { type: "string" },
  uniswap: { type: "string" },
  router: { type: "string" },
  "eth-usd-pool": { type: "string" },
  "explorer-url": { type: "string" },
  out: { type: "string" },
  history: { type: "string" },
  "verification-dir": { type: "string" },
  commit: { type: "string" },
  timeout: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

/** The operator's settings that the contracts and the manifest contain. */
export type OperatorSettings = {
  deployment: DeploymentSettings;
  poolInitCodeHash: Hex;
  explorerUrl: string | null;
};

/**
 * Reads the operator's settings from the command line, checked against the chain before anything is sent.
 *
 * @param earlier - The manifest of `--history`: the new deployment uses its Uniswap and wrapped native, since a
 * manifest has one set and earlier launches stay tradable.
 * @throws DeployError `setting_missing`, `invalid_option`, and the errors of `readUniswapSet`.
 */
export async function readOperatorSettings(
  client: RpcClient,
  values: OptionValues,
  deployer: Address,
  earlier: Manifest | null,
): Promise<OperatorSettings> {
  const treasury = addressOption(values, "treasury");
  if (treasury === undefined) throw new DeployError("setting_missing", "--treasury is missing");
  const relayer = addressOption(values, "relayer") ?? null;
  for (const needsRelayer of ["owner", "gas-station-tokens", "gas-station-float"]) {
    if (relayer === null && values[needsRelayer] !== undefined) {
      throw new DeployError(
        "invalid_option",
        `--${needsRelayer} needs --relayer: without it, no gas station is deployed`,
      );
    }
  }
  const uniswapFile = textOption(values, "uniswap");
  const router = textOption(values, "router");
  if (uniswapFile !== undefined && router !== undefined) {
    throw new DeployError(
      "invalid_option",
      "--router is for a Uniswap of our own; the file of --uniswap names its kind",
    );
  }
  if (router !== undefined && router !== "swap_router" && router !== "swap_router_02") {
    throw new DeployError("invalid_option", `--router: ${router} is neither swap_router nor swap_router_02`);
  }
  const startTick = integerOption(values, "start-tick") ?? defaultStartTick;
  computeLaunchConstants(startTick);
  const named = uniswapFile === undefined ? null : await readUniswapSet(client, uniswapFile);
  const existing = earlier === null ? named : toExistingUniswap(earlier);
  if (earlier !== null && named !== null && !isSameSet(named, toExistingUniswap(earlier))) {
    throw new DeployError(
      "invalid_option",
      "--uniswap differs from the Uniswap set of --history, whose launches trade there",
    );
  }
  const explorerUrl = textOption(values, "explorer-url") ?? null;
  if (explorerUrl !== null && !URL.canParse(explorerUrl)) {
    throw new DeployError("invalid_option", `--explorer-url: ${explorerUrl} is not a URL`);
  }
  return {
    deployment: {
      existing: existing === null ? null : { uniswap: existing.uniswap, wrappedNative: existing.wrappedNative },
      routerKind: (router ?? "swap_router_02") as RouterKind,
      treasury,
      relayer,
      owner: addressOption(values, "owner") ?? deployer,
      startTick,
      multicall3: await readMulticall3(client, earlier),
      stationFloatInWei: nativeOption(values, "gas-station-float"),
    },
    poolInitCodeHash:
      existing?.poolInitCodeHash ?? keccak256(readVendoredArtifact("uniswap-v3/UniswapV3Pool").bytecode),
    explorerUrl,
  };
}

function toExistingUniswap(manifest: Manifest): ExistingUniswap {
  const { factory, router, router_kind, quoter, pool_init_code_hash } = manifest.uniswap;
  return {
    uniswap: {
      factory: factory.address as Address,
      router: router.address as Address,
      routerKind: router_kind,
      quoter: quoter.address as Address,
    },
    wrappedNative: manifest.wrapped_native.address as Address,
    poolInitCodeHash: pool_init_code_hash as Hex,
  };
}

/** Reads the chain's Multicall3: from `--history`, or at the usual address; null if it must be deployed. */
async function readMulticall3(client: RpcClient, earlier: Manifest | null): Promise<Address | null> {
  if (earlier !== null && earlier.multicall3 !== null) return earlier.multicall3.address as Address;
  return await findMulticall3(client);
}

function isSameSet(a: ExistingUniswap, b: ExistingUniswap): boolean {
  return a.uniswap.factory === b.uniswap.factory && a.wrappedNative === b.wrappedNative;
}

/** Reads the gas station's tokens from the chain. */
export async function readGasStationTokens(
  client: RpcClient,
  chainId: number,
  values: OptionValues,
): Promise<GasStationToken[]> {
  const list = textOption(values, "gas-station-tokens")?.split(",") ?? [];
  const addresses = list.map((text) => parseAddress(text.trim(), "--gas-station-tokens"));
  if (new Set(addresses).size !== addresses.length) {
    throw new DeployError("invalid_option", "--gas-station-tokens names a token twice");
  }
  return Promise.all(addresses.map((address) => describeGasStationToken(client, chainId, address)));
}

/**
 * Reads the ETH/USD pool from the chain; by default the pool of `--history`. Only a chain with its own Uniswap can
 * already have one.
 */
export async function readEthUsd(
  client: RpcClient,
  values: OptionValues,
  settings: OperatorSettings,
  earlier: Manifest | null,
): Promise<Manifest["eth_usd"]> {
  const pool = addressOption(values, "eth-usd-pool") ?? (earlier?.eth_usd?.pool as Address | undefined);
  if (pool === undefined) return null;
  if (settings.deployment.existing === null) {
    throw new DeployError("invalid_option", "--eth-usd-pool needs the chain's own Uniswap: pass --uniswap too");
  }
  return describeEthUsdPool(client, pool, settings.deployment.existing.wrappedNative);
}

/**
 * Reads the manifest of `--history`; null without one.
 *
 * @throws DeployError `wrong_chain`, and the errors of `readManifestFile`.
 */
export function readEarlierManifest(values: OptionValues, chainId: number): Manifest | null {
  const path = textOption(values, "history");
  if (path === undefined) return null;
  const { manifest } = readManifestFile(path);
  if (manifest.chain_id !== chainId) {
    throw new DeployError("wrong_chain", `${path} is of chain ${manifest.chain_id}, the endpoint of ${chainId}`);
  }
  return manifest;
}

function nativeOption(values: OptionValues, name: string): bigint {
  const text = textOption(values, name);
  if (text === undefined) return 0n;
  if (!/^\d+(\.\d{1,18})?$/.test(text)) {
    throw new DeployError("invalid_option", `--${name}: ${text} is not an amount of native, such as 0.5`);
  }
  return parseEther(text);
}
