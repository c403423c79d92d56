import { z } from "zod";
import { asOf } from "./asOf.ts";
import { tokenFactsSummary } from "./facts.ts";
import { galleryImage } from "./gallery.ts";
import { integerQuery, optionalIntegerQuery } from "./integerQuery.ts";
import { addressOut, amountOut, dateTime, evmAddress } from "./primitives.ts";
import { maxCountedMatches, maxExaminedTokens, tokenSearch } from "./searchLimits.ts";
import { text } from "./text.ts";
import { tokenWarning } from "./tokenWarning.ts";

/** A metric that may be unknown: null, never zero. */
const metric = z.number().nullable();
const quoteUnit = z.enum(["usd", "eth"]);

export const tokenSort = z.enum([
  ...(["volume", "market_cap", "new", "gainers"] as const),
  ...(["losers", "liquidity", "trades", "last_trade"] as const),
]);
export const sortDirection = z.enum(["asc", "desc"]);
export type SortDirection = z.infer<typeof sortDirection>;
export const candleInterval = z.enum(["1m", "5m", "1h", "1d"]);
export type CandleInterval = z.infer<typeof candleInterval>;
/** The intervals of lists of candles; streams have those of `candleInterval`. */
export const listedInterval = z.enum([
  ...candleInterval.options,
  ...(["1s", "15m", "30m", "4h", "12h", "1w"] as const),
]);
export type ListedInterval = z.infer<typeof listedInterval>;

const feePolicyShape = z.object({ total_bps: z.int(), protocol_bps: z.int(), collaborators_bps: z.int() });

const indexedTokenFields = {
  address: addressOut,
  chain_id: z.int(),
  name: z.string(),
  symbol: z.string(),
  decimals: z.int(),
  image_url: z
    .string()
    .nullable()
    .describe(
      "The image at 256 pixels, served by this service; until it is processed, the URI of the launch. Null " +
        "without an image, or if the image or the token is blocked.",
    ),
  image: galleryImage.nullable().describe("The processed image; null if there is none or it is blocked."),
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
  price_eth_exact: z
    .string()
    .describe("The price of the pool in wrapped native as decimal text with up to 50 places, rounded down."),
  market_cap_usd: metric,
  fdv_usd: metric,
  liquidity_usd: metric,
  volume_24h_usd: metric,
  price_change_24h_pct: metric,
  buys_24h: z.int().nullable(),
  sells_24h: z.int().nullable(),
  traders_24h: z.int().nullable(),
  holders: z.int().nullable(),
  facts: tokenFactsSummary,
  warnings: z.array(tokenWarning),
};

/** A launched token with its indexed state. */
export const indexedToken = z
  .object(indexedTokenFields)
  .meta({ id: "IndexedToken", description: "A launched token with its indexed state. Unknown metrics are null." });
export type IndexedToken = z.infer<typeof indexedToken>;

export const indexedTokens = z
  .object({
    items: z.array(indexedToken),
    total: z.int(),
    quote: quoteUnit,
    as_of: asOf,
    next_cursor: z
      .string()
      .nullable()
      .describe("Pass it as `cursor` with the same query to get the next page; null on the last page."),
    unknown: z
      .array(addressOut)
      .optional()
      .describe("Only with `addresses`: the addresses that are not indexed tokens."),
    official_asset: z
      .object({ symbol: z.string(), name: z.string().nullable(), address: addressOut.nullable() })
      .optional()
      .describe(
        "The official asset whose name or symbol is the search text. It was not launched here: every item is another " +
          "token. `address` is its contract on this chain; null if unknown.",
      ),
  })
  .meta({
    id: "IndexedTokens",
    description:
      "Tokens in the requested order. `total` counts all matches; a search and filters count at most " +
      `${maxCountedMatches}, which can be more than all matches of several filters. A page examines a bounded number of ` +
      `tokens (${maxExaminedTokens} for a text): it can be shorter than \`limit\`, or empty, and still have a \`next_cursor\`.`,
  });
export type IndexedTokens = z.infer<typeof indexedTokens>;

/** How the account of a trade was found (docs/models.md, Account of a trade). */
export const accountSource = z.enum(["transfers", "user_operation", "sender"]).meta({
  id: "AccountSource",
  description:
    "How the account of a trade was found: `transfers`, by the token's transfers in the transaction; " +
    "`user_operation`, by the user operation of an ERC-4337 EntryPoint that contains the swap; `sender`, not at all: " +
    "the account is the transaction's sender.",
});
export type AccountSource = z.infer<typeof accountSource>;

/**
 * A swap of a launch's pool. `price_*` is its execution price; `maker` the transaction's sender; `account` who gave the
 * tokens of a sell or kept those of a buy.
 */
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
    account: addressOut,
    account_source: accountSource,
    token_amount: amountOut,
    quote_amount: amountOut,
    price_eth: metric,
    price_eth_exact: z
      .string()
      .nullable()
      .describe("The execution price in wrapped native as decimal text with up to 50 places, rounded down."),
    price_usd: metric,
    volume_usd: metric,
  })
  .meta({
    id: "IndexedTrade",
    description:
      "A swap in the pool of a launch. `price_*` is the execution price; `maker` is the sender of the " +
      "transaction; `account` is the account that gave the tokens of a sell, or kept the tokens of a buy.",
  });
export type IndexedTrade = z.infer<typeof indexedTrade>;

export const indexedTrades = z
  .object({
    items: z.array(indexedTrade),
    next_before: z.string().nullable().describe("Pass it as `before` to get the next page; null on the last page."),
  })
  .meta({ id: "IndexedTrades", description: "Trades, newest first." });
export type IndexedTrades = z.infer<typeof indexedTrades>;

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
    buys: z.int().describe("The number of buys among the trades."),
    sells: z.int().describe("The number of sells among the trades."),
    traders: z
      .int()
      .nullable()
      .describe(
        "The number of different accounts of the trades. Known for the candles of the newest 2,000 trades of a page, " +
          "otherwise null; null in streams.",
      ),
  })
  .meta({
    id: "IndexedCandle",
    description:
      "A candle: `t` is its start in Unix seconds, `v` the USD volume, `vq` the quote volume, `n` the " +
      "number of trades.",
  });
export type IndexedCandle = z.infer<typeof indexedCandle>;

/** Buckets in ascending order; intervals without trades are omitted. A response has one quote currency. */
export const indexedCandles = z
  .object({
    interval: listedInterval,
    items: z.array(indexedCandle),
    price_usd_available: z.boolean(),
    quote: quoteUnit,
    next_before: z.int().nullable(),
  })
  .meta({
    id: "IndexedCandles",
    description:
      "Candles, oldest first, all in the currency `quote`. Intervals without trades are omitted, unless `fill` is true.",
  });
export type IndexedCandles = z.infer<typeof indexedCandles>;

const documentLink = z
  .string()
  .nullable()
  .describe("An https link in the document that the launch stored on the chain, normalised; null without one.");

const window = z.object({
  price_change_pct: metric,
  volume_usd: metric,
  buys: z.int().nullable(),
  sells: z.int().nullable(),
});

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
      source_verified: z
        .boolean()
        .nullable()
        .describe(
          "True if the operator's verifier compiled the published sources and got the code of the token; false if it " +
            "got other code; null without a result.",
        ),
    }),
    top10_holders_pct: metric,
    links: z.object({
      explorer: z.string().nullable(),
      x: documentLink,
      telegram: documentLink,
      discord: documentLink,
      farcaster: documentLink,
      github: documentLink,
      website2: documentLink,
    }),
    as_of: asOf,
  })
  .meta({ id: "TokenDetail", description: "A token with its launch, pool, windows and latest 50 trades." });
export type TokenDetail = z.infer<typeof tokenDetail>;

/** Totals of all indexed data, with the covered range. */
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
    as_of: asOf,
  })
  .meta({ id: "IndexAnalytics", description: "Totals of all indexed launches and trades, with the covered blocks." });
export type IndexAnalytics = z.infer<typeof indexAnalytics>;

/** Search text: at most 200 characters, matched literally. */
const search = text().max(200).optional().describe(tokenSearch);

const dollarQuery = (description: string) => optionalIntegerQuery(0, 10 ** 12).describe(description);

export const tokensQuery = z.object({
  sort: tokenSort
    .default("volume")
    .describe(
      "The order, largest first: 24 h volume, market cap, newest, highest or (`losers`) lowest 24 h price change, value " +
        "of the locked liquidity, number of trades in 24 h, or latest trade.",
    ),
  direction: sortDirection
    .optional()
    .describe(
      "`desc`: the largest or newest first; `asc`: the smallest or oldest first. Unknown values are last in both. Without " +
        "it, `losers` is `asc` and all others are `desc`.",
    ),
  q: search,
  limit: integerQuery(1, 300, 50).describe("The maximum number of tokens."),
  cursor: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,512}$/, "must be next_cursor of a page")
    .optional()
    .describe("`next_cursor` of the previous page, with the same query."),
  addresses: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}(,0x[0-9a-fA-F]{40}){0,99}$/, "must be 1 to 100 addresses with commas between them")
    .optional()
    .describe(
      "Addresses, 1 to 100, with commas between them. The items are these tokens in this order, also blocked ones, and " +
        "`unknown` names the others. Excludes all parameters but `sort` and `limit`, which have no effect.",
    ),
  min_liquidity_usd: dollarQuery("Only tokens whose `liquidity_usd` is known and at least this number of dollars."),
  min_volume_usd_24h: dollarQuery("Only tokens whose `volume_24h_usd` is known and at least this number of dollars."),
  max_age_seconds: optionalIntegerQuery(0, 10 ** 9).describe(
    "Only tokens launched at most this number of seconds before the last indexed block.",
  ),
  creator: evmAddress.optional().describe("Only tokens that this account launched."),
  partner: evmAddress.optional().describe("Only tokens whose launch names this partner."),
});
export const tradesQuery = z.object({
  limit: integerQuery(1, 300, 50).describe("The maximum number of trades."),
  before: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}:[0-9]{1,9}(:[0-9]{1,15})?$/, "must be the id of a trade, or next_before of a page")
    .optional()
    .describe("The id of a trade, or `next_before` of a page; only earlier trades are returned."),
  account: evmAddress
    .optional()
    .describe("Only trades of this account: it gave the tokens of a sell, or kept those of a buy."),
  maker: evmAddress.optional().describe("Only trades whose transaction this account sent."),
  side: z.enum(["buy", "sell"]).optional().describe("Only buys, or only sells."),
});
export const candlesQuery = z.object({
  interval: listedInterval
    .default("1h")
    .describe("The length of a candle. `1s` covers the first 24 hours of a token; `1w` begins on Monday, 00:00 UTC."),
  limit: integerQuery(1, 300, 300).describe("The maximum number of candles."),
  fill: z
    .enum(["true", "false"])
    .default("false")
    .describe(
      "`true`: intervals without a trade have a candle with the price of the candle before, and no trades; from the " +
        "first trade to the last indexed block.",
    ),
  before: optionalIntegerQuery(0, 10 ** 12 - 1, "must be a Unix time in seconds, from 0 to 999999999999").describe(
    "Only candles that start before this time, in Unix seconds.",
  ),
});
