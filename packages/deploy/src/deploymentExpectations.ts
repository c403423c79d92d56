import { canonicalJson } from "@slipway/protocol/canonicalJson";
import { launchTokenCreationCode } from "@slipway/protocol/contracts/launchTokenCreationCode";
import { defaultFeeBps, feeTiersBps, isLaunchSpacing, protocolFeeBps, toPoolFee } from "@slipway/protocol/feeTiers";
import type { LaunchDeployment, Manifest, PinnedContract } from "@slipway/protocol/manifest";
import { type Address, domainSeparator, encodeFunctionData, type Hex, keccak256, parseAbi, zeroAddress } from "viem";
import { computePoolAddress } from "./computePoolAddress.ts";
import { multicall3CodeHash } from "./multicall3.ts";
import { computeOwnCodeHash, listOwnContracts } from "./ownContracts.ts";
import { getImmutableOffsets, readArtifact } from "./readArtifact.ts";
import type { WordCall } from "./readProgram.ts";
import type { ProxySlots } from "./readProxySlots.ts";

/** What a failed check disables: everything, all top-ups, or top-ups in one token. */
export type CheckScope = "core" | "gas_station" | `gas_token:${Address}`;

type Named = { name: string; scope: CheckScope };
export type WordType = "address" | "uint256" | "int256" | "bytes32";

/** One statement of a manifest about its chain. For a `call`, the first nonzero result counts. */
export type Expectation =
  | (Named & { kind: "value"; expected: string; actual: string })
  | (Named & { kind: "code"; address: Address; expected: Hex })
  | (Named & { kind: "call"; calls: WordCall[]; type: WordType; expected: string })
  | (Named & { kind: "proxy"; address: Address; expected: ProxySlots });

const getters = parseAbi([
  "function LOCKER() view returns (address)",
  "function UNISWAP_FACTORY() view returns (address)",
  "function WRAPPED_NATIVE() view returns (address)",
  "function START_TICK() view returns (int24)",
  "function PROTOCOL_FEE_BPS() view returns (uint16)",
  "function FACTORY() view returns (address)",
  "function treasury() view returns (address)",
  "function owner() view returns (address)",
  "function relayer() view returns (address)",
  "function factory() view returns (address)",
  "function WETH9() view returns (address)",
  "function token0() view returns (address)",
  "function token1() view returns (address)",
  "function fee() view returns (uint24)",
  "function decimals() view returns (uint8)",
  "function DOMAIN_SEPARATOR() view returns (bytes32)",
  "function implementation() view returns (address)",
]);
type Getter = (typeof getters)[number]["name"];

const uniswapFactoryAbi = parseAbi([
  "function feeAmountTickSpacing(uint24) view returns (int24)",
  "function getPool(address, address, uint24) view returns (address)",
  "function createPool(address, address, uint24) returns (address)",
]);

const createPoolGas = 8_000_000;

/** Returns all checks of the manifest's chain, except for the chain id. Reads only the artifacts. */
export function getDeploymentExpectations(manifest: Manifest): Expectation[] {
  return [
    ...compiledExpectations(manifest),
    ...launchDeploymentExpectations("", manifest.current, manifest),
    ...templateExpectations(manifest.current),
    getter("fee_locker.treasury", manifest.current.fee_locker.address, "treasury", "address", manifest.treasury),
    ...manifest.history.flatMap((deployment, index) =>
      launchDeploymentExpectations(`history.${index}.`, deployment, manifest),
    ),
    ...uniswapExpectations(manifest),
    ...contractExpectations("wrapped_native", manifest.wrapped_native),
    ...multicall3Expectations(manifest),
    ...ethUsdExpectations(manifest),
    ...gasStationExpectations(manifest),
  ];
}

function launchDeploymentExpectations(prefix: string, deployment: LaunchDeployment, manifest: Manifest): Expectation[] {
  const factory = deployment.launch_factory.address as Address;
  const locker = deployment.fee_locker.address as Address;
  const ofFactory = (name: Getter, type: WordType, expected: string): Expectation =>
    getter(`${prefix}launch_factory.${name}`, factory, name, type, expected);
  return [
    ...contractExpectations(`${prefix}launch_factory`, deployment.launch_factory),
    ...contractExpectations(`${prefix}fee_locker`, deployment.fee_locker),
    ...contractExpectations(`${prefix}splitter_factory`, deployment.splitter_factory),
    ...contractExpectations(`${prefix}splitter_implementation`, deployment.splitter_implementation),
    ...contractExpectations(`${prefix}vesting_factory`, deployment.vesting_factory),
    ...contractExpectations(`${prefix}vesting_implementation`, deployment.vesting_implementation),
    ...contractExpectations(`${prefix}opening_factory`, deployment.opening_factory),
    ...contractExpectations(`${prefix}opening_implementation`, deployment.opening_implementation),
    ofFactory("LOCKER", "address", locker),
    ofFactory("UNISWAP_FACTORY", "address", manifest.uniswap.factory.address),
    ofFactory("WRAPPED_NATIVE", "address", manifest.wrapped_native.address),
    ofFactory("START_TICK", "int256", String(deployment.start_tick)),
    ...feePolicyExpectations(prefix, deployment, manifest),
    ofFactory("PROTOCOL_FEE_BPS", "uint256", String(deployment.fee_policy.protocol_bps)),
    getter(`${prefix}fee_locker.FACTORY`, locker, "FACTORY", "address", factory),
    getter(`${prefix}fee_locker.WRAPPED_NATIVE`, locker, "WRAPPED_NATIVE", "address", manifest.wrapped_native.address),
  ];
}

/**
 * Checks a fee policy: the tiers and shares that the compiled contracts have, and the tick spacing of each tier that the
 * chain's Uniswap factory had at the deployment. The factory cannot change or remove a tier. Its owner can add one; such
 * a tier is not checked, so that the owner cannot make this check fail.
 */
function feePolicyExpectations(prefix: string, { fee_policy }: LaunchDeployment, manifest: Manifest): Expectation[] {
  const compiled = fee_policy.tiers.map(({ tick_spacing }, index) => {
    const feeBps = feeTiersBps[index] ?? 0;
    return {
      fee_bps: feeBps,
      protocol_bps: protocolFeeBps,
      collaborators_bps: feeBps - protocolFeeBps,
      launchable: isLaunchSpacing(tick_spacing),
      tick_spacing,
    };
  });
  const spacings = fee_policy.tiers.flatMap(({ fee_bps, tick_spacing }): Expectation[] => {
    if (tick_spacing === null) return [];
    const args = [toPoolFee(fee_bps)] as const;
    const data = encodeFunctionData({ abi: uniswapFactoryAbi, functionName: "feeAmountTickSpacing", args });
    return [
      {
        kind: "call",
        name: `${prefix}fee_policy.tick_spacing.${fee_bps}`,
        scope: "core",
        calls: [{ to: manifest.uniswap.factory.address as Address, data }],
        type: "int256",
        expected: String(tick_spacing),
      },
    ];
  });
  const toText = (tiers: readonly object[]) => canonicalJson(tiers);
  return [
    {
      kind: "value",
      name: `${prefix}fee_policy.tiers`,
      scope: "core",
      expected: `${feeTiersBps.length} tiers: ${toText(compiled)}`,
      actual: `${fee_policy.tiers.length} tiers: ${toText(fee_policy.tiers)}`,
    },
    ...spacings,
  ];
}

/**
 * Does not trust the manifest's own code hashes: each must equal the hash of this program's artifact, with the
 * immutables derived from the manifest.
 */
function compiledExpectations(manifest: Manifest): Expectation[] {
  return listOwnContracts(manifest).map((contract) => ({
    kind: "value",
    name: `${contract.label}.compiled`,
    scope: "core",
    expected: computeOwnCodeHash(contract),
    actual: contract.pinnedHash,
  }));
}

/** The service builds transactions from its own creation code, which must equal the code that the manifest names. */
function templateExpectations({ launch_token }: LaunchDeployment): Expectation[] {
  const artifact = readArtifact("LaunchToken");
  const value = (name: string, expected: string, actual: string): Expectation => ({
    kind: "value",
    name: `launch_token.${name}`,
    scope: "core",
    expected,
    actual,
  });
  return [
    value("creation_code", keccak256(launchTokenCreationCode), launch_token.creation_code_hash),
    value("runtime_code", keccak256(artifact.deployedBytecode), launch_token.runtime_code_hash),
    value(
      "immutable_offsets",
      JSON.stringify(getImmutableOffsets(artifact)),
      JSON.stringify(launch_token.immutable_offsets),
    ),
  ];
}

function uniswapExpectations(manifest: Manifest): Expectation[] {
  const { factory, router, quoter } = manifest.uniswap;
  const weth = manifest.wrapped_native.address;
  const at = factory.address as Address;
  // Probes with a pool that has no use and therefore does not exist: the simulation creates it and returns its address.
  // If it does exist, the factory returns its address.
  const probe = [
    manifest.current.launch_factory.address as Address,
    manifest.current.fee_locker.address as Address,
    toPoolFee(defaultFeeBps),
  ] as const;
  return [
    ...contractExpectations("uniswap.factory", factory),
    ...contractExpectations("uniswap.router", router),
    ...contractExpectations("uniswap.quoter", quoter),
    getter("uniswap.router.factory", router.address, "factory", "address", at),
    getter("uniswap.router.WETH9", router.address, "WETH9", "address", weth),
    getter("uniswap.quoter.factory", quoter.address, "factory", "address", at),
    getter("uniswap.quoter.WETH9", quoter.address, "WETH9", "address", weth),
    {
      kind: "call",
      name: "uniswap.pool_init_code_hash",
      scope: "core",
      calls: [
        { to: at, data: encodeFunctionData({ abi: uniswapFactoryAbi, functionName: "getPool", args: probe }) },
        {
          to: at,
          data: encodeFunctionData({ abi: uniswapFactoryAbi, functionName: "createPool", args: probe }),
          gas: createPoolGas,
          mayWrite: true,
        },
      ],
      type: "address",
      expected: computePoolAddress(at, ...probe, manifest.uniswap.pool_init_code_hash as Hex),
    },
  ];
}

/** The code of Multicall3 is the same on every chain, so that the manifest's hash is not needed. */
function multicall3Expectations({ multicall3 }: Manifest): Expectation[] {
  if (multicall3 === null) return [];
  const published = {
    name: "multicall3.published",
    expected: multicall3CodeHash,
    actual: multicall3.runtime_code_hash,
  };
  return [{ kind: "value", scope: "core", ...published }, ...contractExpectations("multicall3", multicall3)];
}

function ethUsdExpectations(manifest: Manifest): Expectation[] {
  if (manifest.eth_usd === null) return [];
  const { pool, fee, stablecoin, stablecoin_decimals } = manifest.eth_usd;
  const weth = manifest.wrapped_native.address as Address;
  const usd = stablecoin.address as Address;
  const [token0, token1] = BigInt(weth) < BigInt(usd) ? [weth, usd] : [usd, weth];
  const uniswapFactory = manifest.uniswap.factory.address as Address;
  const checks: Expectation[] = [
    getter("eth_usd.pool.token0", pool, "token0", "address", token0),
    getter("eth_usd.pool.token1", pool, "token1", "address", token1),
    getter("eth_usd.pool.fee", pool, "fee", "uint256", String(fee)),
    getter("eth_usd.pool.factory", pool, "factory", "address", uniswapFactory),
    {
      kind: "call",
      name: "eth_usd.pool.address",
      scope: "core",
      calls: [
        {
          to: uniswapFactory,
          data: encodeFunctionData({ abi: uniswapFactoryAbi, functionName: "getPool", args: [token0, token1, fee] }),
        },
      ],
      type: "address",
      expected: pool,
    },
  ];
  // If the stablecoin is also a gas-station token, its checks belong to the token: a change must disable only that
  // token.
  if (manifest.gas_station_tokens.some((token) => isSame(token.address, usd))) return checks;
  return [
    ...checks,
    ...contractExpectations("eth_usd.stablecoin", stablecoin),
    getter("eth_usd.stablecoin.decimals", usd, "decimals", "uint256", String(stablecoin_decimals)),
  ];
}

function gasStationExpectations(manifest: Manifest): Expectation[] {
  const checks: Expectation[] = [];
  if (manifest.gas_station !== null) {
    const { address, owner, relayer } = manifest.gas_station;
    checks.push(...contractExpectations("gas_station", manifest.gas_station));
    checks.push(getter("gas_station.treasury", address, "treasury", "address", manifest.treasury));
    // The owner may change both: launches, trades and claims do not depend on them.
    checks.push(getter("gas_station.owner", address, "owner", "address", owner, "gas_station"));
    checks.push(getter("gas_station.relayer", address, "relayer", "address", relayer, "gas_station"));
  }
  for (const token of manifest.gas_station_tokens) {
    const address = token.address as Address;
    const scope: CheckScope = `gas_token:${address}`;
    const name = `gas_token.${address}`;
    checks.push(...contractExpectations(name, token, scope));
    checks.push(getter(`${name}.decimals`, address, "decimals", "uint256", String(token.decimals), scope));
    if (token.permit && token.permit_domain !== null) {
      const domain = { ...token.permit_domain, chainId: manifest.chain_id, verifyingContract: address };
      checks.push(
        getter(`${name}.DOMAIN_SEPARATOR`, address, "DOMAIN_SEPARATOR", "bytes32", domainSeparator({ domain }), scope),
      );
    }
  }
  return checks;
}

/** Checks a contract: its code, its EIP-1967 slots, and for a proxy the code of its implementation. */
function contractExpectations(
  name: string,
  contract: Pick<PinnedContract, "address" | "runtime_code_hash" | "proxy">,
  scope: CheckScope = "core",
): Expectation[] {
  const address = contract.address as Address;
  const { proxy } = contract;
  const checks: Expectation[] = [
    code(`${name}.code`, scope, address, contract.runtime_code_hash),
    {
      kind: "proxy",
      name: `${name}.proxy_slots`,
      scope,
      address,
      expected: {
        implementation: (proxy?.beacon === null ? proxy.implementation : zeroAddress) as Hex,
        beacon: (proxy?.beacon ?? zeroAddress) as Hex,
        admin: (proxy?.admin ?? zeroAddress) as Hex,
      },
    },
  ];
  if (proxy === undefined) return checks;
  if (proxy.beacon !== null) {
    checks.push(
      getter(`${name}.beacon.implementation`, proxy.beacon, "implementation", "address", proxy.implementation, scope),
    );
  }
  const implementation = proxy.implementation as Address;
  checks.push(code(`${name}.implementation.code`, scope, implementation, proxy.implementation_code_hash));
  return checks;
}

function code(name: string, scope: CheckScope, address: Address, expected: string): Expectation {
  return { kind: "code", name, scope, address, expected: expected as Hex };
}

function getter(
  name: string,
  to: string,
  functionName: Getter,
  type: WordType,
  expected: string,
  scope: CheckScope = "core",
): Expectation {
  const data = encodeFunctionData({ abi: getters, functionName });
  return { kind: "call", name, scope, calls: [{ to: to as Address, data }], type, expected };
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
