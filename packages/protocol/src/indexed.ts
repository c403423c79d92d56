import { z } from "zod";
import { addressOut, amountOut, dateTime } from "./primitives.ts";
import { text } from "./text.ts";

/** A metric that may be unknown: null, never zero. */
const metric = z.number().nullable();
const quoteUnit = z.enum(["usd", "eth"]);

export const tokenSort = z.enum(["volume", "market_cap", "new", "gainers"]);
export const candleInterval = z.enum(["1m", "5m", "1h", "1d"]);
export type CandleInterval = z.infer<typeof candleInterval>;

const feePolicyShape = z.object({ total_bps: z.int(), protocol_bps: z.int(), collaborators_bps: z.int() });
const warning = z.object({ code: z.string(), message: z.string() });

const indexedTokenFields = {
  address: addressOut,
  chain_id: z.int(),
  name: z.string(),
  symbol: z.string(),
  decimals: z.int(),
  image_url: z.string().nullable(),
  pool: addressOut.nullable(),
  quote_token: addressOut.nullable(),
  fee_bps: z.int().nullable(),
  fee_policy: feePolicyShape.nullable(),
  creator: addressOut.nullable(),
  launched_at: dateTime.nullable(),
  block_number: z.int().nullable(),
  tx_hash: z.string().nullable(),
  source: z.enum(["own", "legacy"]),
  featured: z.boolean(),
  price_usd: metric,
  price_eth: metric,
  market_cap_usd: metric,
  fdv_usd: metric,
  liquidity_usd: metric,
  volume_24h_usd: metric,
  price_change_24h_pct: metric,
  buys_24h: z.int().nullable(),
  sells_24h: z.int().nullable(),
  traders_24h: z.int().nullable(),
  holders: z.int().nullable(),
  warnings: z.array(warning),
};

/** A launched token with its indexed state. */
export const indexedToken = z.object(indexedTokenFields).meta({ id: "IndexedToken" });
export type IndexedToken = z.infer<typeof indexedToken>;

export const indexedTokens = z
  .object({
    items: z.array(indexedToken),
    total: z.int(),
    quote: quoteUnit,
    as_of: z.object({ block_number: z.int(), timestamp: dateTime }),
  })
  .meta({ id: "IndexedTokens" });
export type IndexedTokens = z.infer<typeof indexedTokens>;

/** A swap of a launch's pool. `price_*` is its execution price; `maker` the transaction's sender. */
export const indexedTrade = z
  .object({
    id: z.string(),
    tx_hash: z.string(),
    log_index: z.int(),
    block_number: z.int(),
    block_timestamp: dateTime,
    side: z.enum(["buy", "sell"]),
    maker: addressOut,
    recipient: addressOut,
    token_amount: amountOut,
    quote_amount: amountOut,
    price_eth: metric,
    price_usd: metric,
    volume_usd: metric,
  })
  .meta({ id: "IndexedTrade" });
export type IndexedTrade = z.infer<typeof indexedTrade>;

export const indexedTrades = z.object({ items: z.array(indexedTrade) }).meta({ id: "IndexedTrades" });

/** An OHLC bucket; `t` its start in Unix seconds, `v` USD volume, `vq` quote volume, `n` trades. */
export const indexedCandle = z
  .object({
    t: z.int(),
    o: z.number(),
    h: z.number(),
    l: z.number(),
    c: z.number(),
    v: metric,
    vq: z.number(),
    n: z.int(),
  })
  .meta({ id: "IndexedCandle" });
export type IndexedCandle = z.infer<typeof indexedCandle>;

/** Ascending buckets; intervals without trades are omitted. A response has one quote. */
export const indexedCandles = z
  .object({
    interval: candleInterval,
    items: z.array(indexedCandle),
    price_usd_available: z.boolean(),
    quote: quoteUnit,
    next_before: z.int().nullable(),
  })
  .meta({ id: "IndexedCandles" });
export type IndexedCandles = z.infer<typeof indexedCandles>;

const window = z.object({
  price_change_pct: metric,
  volume_usd: metric,
  buys: z.int().nullable(),
  sells: z.int().nullable(),
});

const asOfBlock = z.object({ block_number: z.int(), timestamp: dateTime });

/** A token with its launch record, pool, windows and latest 50 trades. */
export const tokenDetail = z
  .object({
    ...indexedTokenFields,
    description: z.string().nullable(),
    website: z.string().nullable(),
    total_supply: amountOut,
    splitter: addressOut.nullable(),
    recipients: z.array(
      z.object({
        wallet: addressOut,
        share_bps: z.int(),
        provider: z.enum(["wallet", "code_host", "social"]).nullable(),
        handle: z.string().nullable(),
        verified: z.boolean(),
      }),
    ),
    trades: z.array(indexedTrade).max(50),
    liquidity_lock: z.object({
      locker: addressOut,
      percent_locked: z.number(),
      withdrawable: z.literal(false),
    }),
    pool_state: z.object({
      sqrt_price_x96: amountOut,
      tick: z.int(),
      liquidity: amountOut,
      tick_lower: z.int(),
      tick_upper: z.int(),
      pool_protocol_fee: z.int(),
      lp_fee_bps_effective: z.number(),
    }),
    windows: z.object({ m5: window, h1: window, h6: window, h24: window }),
    security: z.object({
      mintable: z.boolean(),
      pausable: z.boolean(),
      owner: addressOut.nullable(),
      permit: z.boolean(),
      source_verified: z.boolean().nullable(),
    }),
    top10_holders_pct: metric,
    links: z.object({ explorer: z.string().nullable() }),
    as_of: asOfBlock,
  })
  .meta({ id: "TokenDetail" });
export type TokenDetail = z.infer<typeof tokenDetail>;

/** Totals over everything indexed, with the covered range. */
export const indexAnalytics = z
  .object({
    launches_total: z.int(),
    launches_24h: z.int(),
    trades_covered: z.int(),
    trades_24h: z.int(),
    traders_24h: z.int(),
    volume_usd_24h: metric,
    volume_usd_total: metric,
    fees_usd_24h: metric,
    fees_collaborators_usd: metric,
    fees_protocol_usd: metric,
    coverage: z.object({
      from_block: z.int(),
      to_block: z.int(),
      head_block: z.int(),
      lag_seconds: z.number(),
      complete: z.boolean(),
      message: z.string(),
    }),
    as_of: asOfBlock,
  })
  .meta({ id: "IndexAnalytics" });
export type IndexAnalytics = z.infer<typeof indexAnalytics>;

const integerQuery = (minimum: number, maximum: number, preset: number) =>
  z
    .string()
    .regex(/^-?\d{1,15}$/, "must be an integer")
    .default(String(preset))
    .transform(Number)
    .pipe(z.int().min(minimum).max(maximum));

/** Search text: at most 200 characters, matched literally. */
const search = text().max(200).optional();

export const tokensQuery = z.object({
  sort: tokenSort.default("volume"),
  q: search,
  limit: integerQuery(1, 300, 50),
});
export const tradesQuery = z.object({ limit: integerQuery(1, 300, 50) });
export const candlesQuery = z.object({
  interval: candleInterval.default("1h"),
  limit: integerQuery(1, 300, 300),
  /** Only buckets that start before this Unix second. */
  before: z
    .string()
    .regex(/^\d{1,12}$/, "must be a Unix time in seconds")
    .transform(Number)
    .optional(),
});
