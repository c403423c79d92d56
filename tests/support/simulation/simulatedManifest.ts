import type { LaunchDeployment, Manifest } from "@slipway/protocol/manifest";

const address = (tag: string, id: number): `0x${string}` => `0x${tag}${id.toString(16).padStart(40 - tag.length, "0")}`;

/** The creation code before a clone's runtime code, and the runtime code of a clone, both from contracts/README.md. */
export const cloneHead =
  "0x601660a63803048060405260405f528060051b80606001806020528281529038905b9060169003600281601401848401601e013960148183604c" +
  "01399060209003806021577fefcc8d2083f68d5e70971c735a94f161f8fd1c8778eb219b0812f0a8a7ba61796040848001035fa16079380380" +
  "60795f395ff3";
export function getCloneCode(implementation: string, payees: readonly string[], shares: readonly number[]): string {
  const entries = payees.map((payee, i) => payee.slice(2) + shares[i]!.toString(16).padStart(4, "0"));
  return `0x363d3d373d3d3d363d73${implementation.slice(2)}5af43d82803e903d91602b57fd5bf3${entries.join("")}`.toLowerCase();
}

const pinned = (at: string) => ({ address: at, runtime_code_hash: `0x${"11".repeat(32)}` });
const created = (at: string) => ({ ...pinned(at), creation_transaction: `0x${"cc".repeat(32)}` });

const deployment = (id: number, block: number): LaunchDeployment => ({
  deployment_block: block,
  launch_factory: created(address("fac0", id)),
  fee_locker: pinned(address("10c0", id)),
  launch_token: {
    creation_code_hash: `0x${"33".repeat(32)}`,
    runtime_code_hash: `0x${"22".repeat(32)}`,
    immutable_offsets: [],
  },
  start_tick: 203400,
  fee_policy: {
    protocol_bps: 10,
    tiers: [100, 50, 30, 10].map((fee_bps) => ({
      fee_bps,
      protocol_bps: 10,
      collaborators_bps: fee_bps - 10,
      launchable: true,
      tick_spacing: fee_bps === 30 ? 60 : 2 * fee_bps,
    })),
  },
  splitter_factory: created(address("5f", id)),
  splitter_implementation: pinned(address("51", id)),
  vesting_factory: created(address("7e", id)),
  vesting_implementation: pinned(address("71", id)),
  opening_factory: created(address("0e0f", id)),
  opening_implementation: pinned(address("0e01", id)),
});

/** A manifest of contracts that have no bytecode and exist only in the logs of the simulated chain. */
export const simulatedManifest: Manifest = {
  version: 2,
  chain_id: 46630,
  deployed_at: "2026-01-01T00:00:00Z",
  commit: null,
  compiler: { solc: "0.8.37", evm_version: "prague", optimizer_runs: { launch: 1, other: 1 }, via_ir: true },
  current: deployment(2, 5),
  history: [deployment(1, 3)],
  gas_station: { ...created(address("57a7", 1)), owner: address("0e", 1), relayer: address("4e", 1) },
  gas_station_tokens: [],
  treasury: address("7ea5", 1),
  uniswap: {
    factory: pinned(address("0f", 1)),
    factory_owner: `0x${"00".repeat(20)}`,
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
  multicall3: null,
};
