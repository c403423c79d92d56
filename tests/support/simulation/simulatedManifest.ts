import type { Manifest } from "@slipway/protocol/manifest";
import { keccak256 } from "viem";

const address = (tag: string, id: number): `0x${string}` => `0x${tag}${id.toString(16).padStart(40 - tag.length, "0")}`;

/** The creation code of the simulated splitters. */
export const splitterCode = `0x60${"5b".repeat(40)}` as const;

/** Their runtime code, without immutables. */
export const splitterRuntime = `0x${"5b".repeat(20)}` as const;

const pinned = (at: string) => ({ address: at, runtime_code_hash: `0x${"11".repeat(32)}` });
const template = (creationHash: string, runtimeHash: string) => ({
  creation_code_hash: creationHash,
  runtime_code_hash: runtimeHash,
  immutable_offsets: [],
});

const deployment = (id: number, block: number): Manifest["current"] => ({
  deployment_block: block,
  launch_factory: pinned(address("fac0", id)),
  fee_locker: pinned(address("10c0", id)),
  launch_token: template(`0x${"33".repeat(32)}`, `0x${"22".repeat(32)}`),
  fee_splitter: template(keccak256(splitterCode), keccak256(splitterRuntime)),
  start_tick: 203200,
  fee_policy: {
    protocol_bps: 10,
    tiers: [{ fee_bps: 100, protocol_bps: 10, collaborators_bps: 90, launchable: true }],
  },
});

/** A manifest of contracts that exist in no bytecode, only in the logs of the simulated chain. */
export const simulatedManifest: Manifest = {
  version: 1,
  chain_id: 46630,
  deployed_at: "2026-01-01T00:00:00Z",
  commit: null,
  compiler: { solc: "0.8.37", evm_version: "prague", optimizer_runs: 1, via_ir: true },
  current: deployment(2, 5),
  history: [deployment(1, 3)],
  gas_station: pinned(address("57a7", 1)),
  gas_station_tokens: [],
  treasury: address("7ea5", 1),
  uniswap: {
    factory: pinned(address("0f", 1)),
    router: pinned(address("0f", 2)),
    router_kind: "swap_router_02",
    quoter: pinned(address("0f", 3)),
    pool_init_code_hash: `0x${"44".repeat(32)}`,
  },
  wrapped_native: pinned(address("7777", 1)),
  eth_usd: {
    pool: address("e7e7", 1),
    fee: 500,
    stablecoin: pinned(address("d011", 1)),
    stablecoin_symbol: "USDG",
    stablecoin_decimals: 6,
  },
  explorer_url: null,
};
