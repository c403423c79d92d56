import { type LaunchDeployment, type Manifest, templateRuntimeHash } from "@slipway/protocol/manifest";
import {
  type Address,
  domainSeparator,
  type Hex,
  hexToBigInt,
  hexToBytes,
  keccak256,
  numberToHex,
  pad,
  stringToHex,
} from "viem";
import { computeLaunchConstants, type LaunchConstants } from "./computeLaunchConstants.ts";
import { type Artifact, type ContractName, getImmutableOffsets, readArtifact } from "./readArtifact.ts";

/** A contract of Slipway, with the value of each immutable (one word) derived from the manifest. */
export type OwnContract = {
  /** The name in checks, such as `fee_locker` or `history.0.fee_locker`. */
  label: string;
  contractName: ContractName;
  address: Address;
  /** The hash of the runtime code in the manifest. */
  pinnedHash: string;
  immutables: Readonly<Record<string, Hex>>;
};

/** Lists the contracts of Slipway in a manifest, including its history. */
export function listOwnContracts(manifest: Manifest): OwnContract[] {
  const contracts = listDeploymentContracts("", manifest.current, manifest);
  for (const [index, deployment] of manifest.history.entries()) {
    contracts.push(...listDeploymentContracts(`history.${index}.`, deployment, manifest));
  }
  if (manifest.gas_station !== null) {
    const { address, runtime_code_hash } = manifest.gas_station;
    contracts.push({
      label: "gas_station",
      contractName: "GasStation",
      address: address as Address,
      pinnedHash: runtime_code_hash,
      immutables: encodeDomain("Slipway Gas Station", address as Address, manifest.chain_id),
    });
  }
  return contracts;
}

type OwnField =
  | "launch_factory"
  | "fee_locker"
  | "splitter_factory"
  | "splitter_implementation"
  | "vesting_factory"
  | "vesting_implementation"
  | "opening_factory"
  | "opening_implementation";

function listDeploymentContracts(prefix: string, deployment: LaunchDeployment, manifest: Manifest): OwnContract[] {
  const { launch_factory, fee_locker, splitter_factory, splitter_implementation, start_tick } = deployment;
  const wrappedNative = word(manifest.wrapped_native.address);
  const uniswapFactory = word(manifest.uniswap.factory.address);
  const implementation = word(splitter_implementation.address);
  const startTick = numberToHex(start_tick, { size: 32, signed: true });
  const constants = getConstants(start_tick);
  const describe = (field: OwnField, contractName: ContractName, immutables: Record<string, Hex>): OwnContract => ({
    label: `${prefix}${field}`,
    contractName,
    address: deployment[field].address as Address,
    pinnedHash: deployment[field].runtime_code_hash,
    immutables,
  });
  return [
    describe("launch_factory", "LaunchFactory", {
      WRAPPED_NATIVE: wrappedNative,
      UNISWAP_FACTORY: uniswapFactory,
      LOCKER: word(fee_locker.address),
      SPLITTER_FACTORY: word(splitter_factory.address),
      SPLITTER_IMPLEMENTATION: implementation,
      START_TICK: startTick,
      _SQRT_PRICE_X96_IF_TOKEN0: word(constants.sqrtPriceX96IfToken0),
      _SQRT_PRICE_X96_IF_TOKEN1: word(constants.sqrtPriceX96IfToken1),
      _LIQUIDITY_IF_TOKEN0: word(constants.liquidityIfToken0),
      _LIQUIDITY_IF_TOKEN1: word(constants.liquidityIfToken1),
      ...encodeDomain("Slipway Launch Factory", launch_factory.address as Address, manifest.chain_id),
    }),
    describe("fee_locker", "FeeLocker", {
      FACTORY: word(launch_factory.address),
      WRAPPED_NATIVE: wrappedNative,
      UNISWAP_FACTORY: uniswapFactory,
      START_TICK: startTick,
    }),
    describe("splitter_factory", "SplitterFactory", { IMPLEMENTATION: implementation }),
    describe("splitter_implementation", "FeeSplitter", {
      WRAPPED_NATIVE: wrappedNative,
      _IMPLEMENTATION: implementation,
    }),
    describe("vesting_factory", "VestingFactory", { IMPLEMENTATION: word(deployment.vesting_implementation.address) }),
    describe("vesting_implementation", "Vesting", {}),
    describe("opening_factory", "OpeningFactory", {
      IMPLEMENTATION: word(deployment.opening_implementation.address),
      LAUNCH_FACTORY: word(launch_factory.address),
    }),
    describe("opening_implementation", "Opening", { LAUNCH_FACTORY: word(launch_factory.address) }),
  ];
}

/** The immutables of Solady's EIP712. */
function encodeDomain(name: string, verifyingContract: Address, chainId: number): Record<string, Hex> {
  return {
    _cachedThis: word(verifyingContract),
    _cachedChainId: word(chainId),
    _cachedNameHash: keccak256(stringToHex(name)),
    _cachedVersionHash: keccak256(stringToHex("1")),
    _cachedDomainSeparator: domainSeparator({ domain: { name, version: "1", chainId, verifyingContract } }),
  };
}

/** Returns zeros, which no deployed factory has, for an invalid start tick. */
function getConstants(startTick: number): Omit<LaunchConstants, "startTick"> {
  try {
    return computeLaunchConstants(startTick);
  } catch {
    return { sqrtPriceX96IfToken0: 0n, sqrtPriceX96IfToken1: 0n, liquidityIfToken0: 0n, liquidityIfToken1: 0n };
  }
}

function word(value: string | number | bigint): Hex {
  return typeof value === "string" ? (pad(value as Hex).toLowerCase() as Hex) : numberToHex(value, { size: 32 });
}

/**
 * Computes the keccak-256 of the expected runtime code of a contract: the artifact's code with every immutable.
 *
 * @throws Error when the artifact has an immutable without a value.
 */
export function computeOwnCodeHash({ contractName, immutables }: OwnContract): Hex {
  const artifact = readArtifact(contractName);
  const code = hexToBytes(artifact.deployedBytecode);
  for (const { name, start } of listPositions(artifact)) {
    const value = immutables[name];
    if (value === undefined) throw new Error(`${contractName}: the immutable ${name} has no value`);
    code.set(hexToBytes(value), start);
  }
  return keccak256(code);
}

/** A part of a contract's code that differs from the expected code. */
export type CodeDifference = { name: string; expected: string; actual: string };

/**
 * Compares a contract's code with its artifact: first all code except the immutables, then every word of every
 * immutable.
 */
export function compareOwnCode(contract: OwnContract, code: Hex): CodeDifference[] {
  const artifact = readArtifact(contract.contractName);
  const compiled = keccak256(artifact.deployedBytecode);
  const actual = templateRuntimeHash(code, getImmutableOffsets(artifact));
  if (actual !== compiled) {
    const found = actual ?? "shorter code";
    return [
      { name: `${contract.label}.compiled_code`, expected: `${compiled} (${contract.contractName})`, actual: found },
    ];
  }
  return listPositions(artifact).flatMap(({ name, start }) => {
    const expected = contract.immutables[name] as Hex;
    const found: Hex = `0x${code.slice(2 + 2 * start, 66 + 2 * start)}`;
    return hexToBigInt(found) === hexToBigInt(expected)
      ? []
      : [{ name: `${contract.label}.immutables.${name}.${start}`, expected, actual: found }];
  });
}

function listPositions(artifact: Artifact): { name: string; start: number }[] {
  return artifact.immutables.flatMap(({ name, starts }) => starts.map((start) => ({ name, start })));
}
