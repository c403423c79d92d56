import { z } from "zod";
import { feeTier } from "./manifest.ts";
import { addressOut, dateTime } from "./primitives.ts";

/** The latest observation of the ETH/USD pool, and the price of all USD figures of the present. */
export const oracleObservation = z
  .object({
    pool: addressOut.nullable(),
    base_token: addressOut.nullable(),
    quote_token: addressOut.nullable(),
    price: z.number().nullable(),
    method: z.enum(["twap", "spot"]),
    window_seconds: z.int(),
    block_number: z.int().nullable(),
    observed_at: dateTime.nullable(),
    stale: z.boolean(),
    reason: z.enum(["no_pool", "thin_liquidity", "stale", "deviation"]).nullable(),
    deviation_bps: z.number().optional(),
    liquidity: z.string().optional(),
  })
  .meta({
    id: "OracleObservation",
    description:
      "The latest observation of the ETH/USD pool. `price` is USD for one ETH: the time-weighted median of ten minutes; " +
      "null when unreliable (see `reason`). `window_seconds` is the part that observations cover.",
  });
export type OracleObservation = z.infer<typeof oracleObservation>;

const availability = z.object({ available: z.boolean() });
const capability = z.object({ configured: z.boolean(), reason: z.string().nullable() });

/** The capabilities of this deployment. `manifest.verified` shows whether the contracts on the chain are verified. */
export const settings = z
  .object({
    api_version: z.string(),
    chain_id: z.int(),
    eth_usd: z.number().nullable(),
    eth_usd_source_pool: z.string(),
    eth_usd_as_of: dateTime.nullable(),
    quote: z.enum(["usd", "eth"]),
    oracle: oracleObservation,
    fee_policy: z.object({ protocol_bps: z.int(), tiers: z.array(feeTier) }),
    providers: z.object({ wallet: availability, code_host: availability, social: availability }),
    capabilities: z.record(z.string(), capability),
    gas_station: z.object({
      available: z.boolean(),
      station: addressOut.nullable(),
      markup_bps: z.int(),
      tokens: z.array(z.object({ address: addressOut, symbol: z.string(), decimals: z.int(), permit: z.boolean() })),
    }),
    trade_assets: z
      .array(
        z.object({
          address: addressOut.describe("The ERC-20 contract of the asset."),
          symbol: z.string().describe("The symbol in the manifest."),
          decimals: z.int().describe("Base units of the asset have this many decimals."),
          permit: z.boolean().describe("Whether a buy can be one transaction with a permit (ERC-2612)."),
        }),
      )
      .describe("Assets that POST /trade/calls takes as `pay` and `receive`, besides native and wrapped native."),
    business_categories: z.array(z.object({ slug: z.string(), name: z.string() })),
    chain: z
      .object({
        name: z.string(),
        native_currency: z.object({ name: z.string(), symbol: z.string(), decimals: z.int() }),
        rpc_urls: z.array(z.string()).describe("Public RPC endpoints that the operator has listed."),
        explorer_url: z.string().nullable(),
        testnet: z.boolean(),
      })
      .describe("What a wallet needs to add the chain (EIP-3085)."),
    paymaster_url: z.string().nullable(),
    contracts: z.record(z.string(), addressOut),
    manifest: z.object({
      sha256: z.string().nullable(),
      pinned: z.boolean(),
      verified: z.boolean(),
      verified_at_block: z.int().nullable(),
    }),
  })
  .meta({
    id: "Config",
    description:
      "The configuration of this deployment. `manifest.verified` is true if the contracts on the chain are " +
      "verified.",
  });
export type Settings = z.infer<typeof settings>;
