import { type Hex, keccak256 } from "viem";
import { z } from "zod";
import { addressOut, bytes32 } from "./primitives.ts";

/**
 * The EIP-1967 slots of a proxy, and the code of its implementation. Absent for a contract that is not a proxy, whose
 * three slots must be zero. With a `beacon`, `implementation` is the beacon's implementation.
 */
export const proxyPin = z.strictObject({
  implementation: addressOut,
  implementation_code_hash: bytes32,
  beacon: addressOut.nullable(),
  admin: addressOut.nullable(),
});

/** A contract: its address, and the keccak-256 of its runtime code. */
const pinnedContract = z.strictObject({
  address: addressOut,
  runtime_code_hash: bytes32,
  proxy: proxyPin.optional(),
});

/** A contract of Slipway: never a proxy. */
const ownContract = z.strictObject({ address: addressOut, runtime_code_hash: bytes32 });

/** A contract of Slipway that a transaction of the deployer created, not the constructor of another contract. */
const createdContract = ownContract.extend({ creation_transaction: bytes32 });

/**
 * A contract with many instances: the keccak-256 of its creation code without arguments, and of its runtime code with
 * the bytes of immutable references zeroed (`immutable_offsets`: [start, length] of each).
 */
const pinnedTemplate = z.strictObject({
  creation_code_hash: bytes32,
  runtime_code_hash: bytes32,
  immutable_offsets: z.array(z.tuple([z.int(), z.int()])),
});

export const feeTier = z.strictObject({
  fee_bps: z.int(),
  protocol_bps: z.int(),
  collaborators_bps: z.int(),
  launchable: z.boolean(),
});

/** `tick_spacing`: of the pools of the tier; null if the chain's Uniswap factory had no such tier at the deployment. */
const deployedFeeTier = feeTier.extend({ tick_spacing: z.int().positive().nullable() });

/**
 * One set of launch contracts with the permanent fee policy of its launches. A splitter is a clone of
 * `splitter_implementation`, which the constructor of `splitter_factory` created; likewise a vesting and an opening.
 */
export const launchDeployment = z.strictObject({
  deployment_block: z.int().nonnegative(),
  launch_factory: createdContract,
  fee_locker: ownContract,
  launch_token: pinnedTemplate,
  start_tick: z.int(),
  fee_policy: z.strictObject({ protocol_bps: z.int(), tiers: z.array(deployedFeeTier) }),
  splitter_factory: createdContract,
  splitter_implementation: ownContract,
  vesting_factory: createdContract,
  vesting_implementation: ownContract,
  opening_factory: createdContract,
  opening_implementation: ownContract,
});

export const gasStationToken = z.strictObject({
  address: addressOut,
  symbol: z.string(),
  decimals: z.int().min(0).max(36),
  permit: z.boolean(),
  runtime_code_hash: bytes32,
  /** The name and version of the token's EIP-712 domain, needed for its permit; null if the token has no domain. */
  permit_domain: z.strictObject({ name: z.string(), version: z.string() }).nullable(),
  proxy: proxyPin.optional(),
});

/** The gas station with the accounts of its roles at the time when the manifest was written. */
const gasStation = createdContract.extend({ owner: addressOut, relayer: addressOut });

/**
 * The deployment manifest of one chain, `contracts/deployments/<chain id>.json`. An operator pins the SHA-256 of the
 * file's bytes; the chain is verified against it before any transaction is built.
 */
export const manifestSchema = z.strictObject({
  version: z.literal(2),
  chain_id: z.int().positive(),
  deployed_at: z.string(),
  commit: z.string().nullable(),
  /** `launch`: LaunchFactory, LaunchToken and FeeLocker; `other`: every other contract. */
  compiler: z.strictObject({
    solc: z.string(),
    evm_version: z.string(),
    via_ir: z.boolean(),
    optimizer_runs: z.strictObject({ launch: z.int(), other: z.int() }),
  }),
  current: launchDeployment,
  /**
   * Earlier deployments, newest first. Their launches stay listed, tradable and claimable under their own fee policy.
   */
  history: z.array(launchDeployment),
  gas_station: gasStation.nullable(),
  gas_station_tokens: z.array(gasStationToken),
  treasury: addressOut,
  uniswap: z.strictObject({
    factory: pinnedContract,
    /** The account that can take up to a quarter of the fees of every pool; the zero address if no account can. */
    factory_owner: addressOut,
    router: pinnedContract,
    router_kind: z.enum(["swap_router", "swap_router_02"]),
    quoter: pinnedContract,
    pool_init_code_hash: bytes32,
  }),
  wrapped_native: pinnedContract,
  /** The pool that prices the native asset in USD, and its stablecoin. Null: no USD values. */
  eth_usd: z
    .strictObject({
      pool: addressOut,
      fee: z.int(),
      stablecoin: pinnedContract,
      stablecoin_symbol: z.string(),
      stablecoin_decimals: z.int(),
    })
    .nullable(),
  explorer_url: z.string().nullable(),
  /** Executes a claim of several tokens as one transaction. Null if the manifest does not name one. */
  multicall3: pinnedContract.nullable().default(null),
});

export type Manifest = z.infer<typeof manifestSchema>;
export type LaunchDeployment = z.infer<typeof launchDeployment>;
export type PinnedContract = z.infer<typeof pinnedContract>;
export type ProxyPin = z.infer<typeof proxyPin>;
export type GasStationToken = z.infer<typeof gasStationToken>;

/**
 * Computes the keccak-256 of runtime code with the bytes of immutable references zeroed. The hash is equal for all
 * contracts with the same creation code, whatever their arguments.
 *
 * @param immutableOffsets - [start, length] of each reference, in bytes.
 * @returns null if the code is too short for the references, so it is another contract.
 */
export function templateRuntimeHash(code: Hex, immutableOffsets: readonly (readonly [number, number])[]): Hex | null {
  let digits = code.slice(2);
  for (const [start, length] of immutableOffsets) {
    const from = start * 2;
    const to = from + length * 2;
    if (to > digits.length) return null;
    digits = digits.slice(0, from) + "0".repeat(to - from) + digits.slice(to);
  }
  return keccak256(`0x${digits}`);
}
