import type { Manifest } from "@slipway/protocol/manifest";

const hash = `0x${"ab".repeat(32)}`;
const pinned = (byte: string) => ({ address: `0x${byte.repeat(20)}`, runtime_code_hash: hash });
const template = { creation_code_hash: hash, runtime_code_hash: hash, immutable_offsets: [] };

export const testChainId = 46630;
export const wrappedNative = `0x${"77".repeat(20)}`;
export const feeLocker = `0x${"22".repeat(20)}`;
export const ethUsdPool = `0x${"99".repeat(20)}`;

const deployment: Manifest["current"] = {
  deployment_block: 1,
  launch_factory: { ...pinned("11"), creation_transaction: hash },
  fee_locker: pinned("22"),
  launch_token: template,
  splitter_factory: { ...pinned("12"), creation_transaction: hash },
  splitter_implementation: pinned("13"),
  vesting_factory: { ...pinned("14"), creation_transaction: hash },
  vesting_implementation: pinned("15"),
  opening_factory: { ...pinned("16"), creation_transaction: hash },
  opening_implementation: pinned("17"),
  start_tick: -203200,
  fee_policy: {
    protocol_bps: 10,
    tiers: [
      { fee_bps: 100, protocol_bps: 10, collaborators_bps: 90, launchable: true, tick_spacing: 200 },
      { fee_bps: 50, protocol_bps: 10, collaborators_bps: 40, launchable: false, tick_spacing: null },
    ],
  },
};

/** A manifest of a fictitious chain; the stablecoin sorts above wrapped native. */
export const testManifest: Manifest = {
  version: 2,
  chain_id: testChainId,
  deployed_at: "2026-01-01T00:00:00.000Z",
  commit: null,
  compiler: { solc: "0.8.37", evm_version: "cancun", optimizer_runs: { launch: 1, other: 1 }, via_ir: false },
  current: deployment,
  history: [],
  gas_station: null,
  gas_station_tokens: [
    {
      address: `0x${"88".repeat(20)}`,
      symbol: "USDx",
      decimals: 6,
      permit: true,
      runtime_code_hash: hash,
      permit_domain: { name: "USDx", version: "1" },
    },
  ],
  treasury: `0x${"33".repeat(20)}`,
  uniswap: {
    factory: pinned("44"),
    factory_owner: `0x${"00".repeat(20)}`,
    router: pinned("55"),
    router_kind: "swap_router_02",
    quoter: pinned("66"),
    pool_init_code_hash: hash,
  },
  wrapped_native: pinned("77"),
  eth_usd: {
    pool: ethUsdPool,
    fee: 500,
    stablecoin: pinned("88"),
    stablecoin_symbol: "USDx",
    stablecoin_decimals: 6,
  },
  explorer_url: "https://explorer.example/",
  multicall3: null,
};
