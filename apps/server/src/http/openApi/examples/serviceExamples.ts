import { example, type OperationExamples, sample } from "./example.ts";

const configured = { configured: true, reason: null };
const manifest = { sha256: sample.manifestSha256, pinned: true, verified: true, verified_at_block: 16 };

const config = {
  api_version: "0.1.0",
  chain_id: sample.chainId,
  eth_usd: 3_000,
  eth_usd_source_pool: sample.ethUsdPool,
  eth_usd_as_of: "2026-11-22T07:07:37.000Z",
  quote: "usd",
  oracle: {
    pool: sample.ethUsdPool,
    base_token: sample.weth,
    quote_token: sample.stablecoin,
    price: 3_000,
    method: "twap",
    window_seconds: 600,
    block_number: 13,
    observed_at: "2026-11-22T07:07:37.000Z",
    stale: false,
    reason: null,
    deviation_bps: 0,
  },
  fee_policy: {
    protocol_bps: 10,
    tiers: [
      { fee_bps: 100, protocol_bps: 10, collaborators_bps: 90, launchable: true },
      { fee_bps: 50, protocol_bps: 10, collaborators_bps: 40, launchable: false },
    ],
  },
  providers: { wallet: { available: true }, code_host: { available: false }, social: { available: false } },
  capabilities: {
    index: configured,
    launch: configured,
    image_uploads: configured,
    image_pinning: { configured: false, reason: "Not configured by the operator." },
  },
  gas_station: {
    available: true,
    station: sample.station,
    markup_bps: 300,
    tokens: [{ address: sample.stablecoin, symbol: "USDG", decimals: 6, permit: true }],
  },
  chain: {
    name: "Example chain",
    native_currency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpc_urls: ["https://rpc.example"],
    explorer_url: "https://explorer.example",
    testnet: true,
  },
  business_categories: [{ slug: "food-drink", name: "Food and drink" }],
  contracts: {
    launch_factory: sample.factory,
    fee_locker: sample.locker,
    wrapped_native: sample.weth,
    uniswap_router: sample.router,
  },
  manifest,
};

const good = { ok: true, reason: null };
const ready = {
  ready: true,
  checks: { database: good, chain: good, index: good, manifest: good },
  index: { indexed_block: 25, head_block: 25, lag_seconds: 0 },
  manifest,
  gas_station: { available: true, configured: true, reason: null },
};
const notReady = {
  ...ready,
  ready: false,
  checks: { ...ready.checks, chain: { ok: false, reason: "The chain's endpoint does not answer." } },
};

const metrics = [
  "# HELP slipway_http_request_duration_seconds Duration of requests in seconds",
  "# TYPE slipway_http_request_duration_seconds histogram",
  "",
].join("\n");

/** The deployment, its health, and receive codes. */
export const serviceExamples: Record<string, OperationExamples> = {
  getConfig: { responses: { 200: example(config) } },
  getLiveness: { responses: { 200: example({ status: "alive" }) } },
  getReadiness: { responses: { 200: example(ready), 503: example(notReady) } },
  getMetrics: { responses: { 200: example(metrics) } },
};
