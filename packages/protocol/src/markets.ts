import { z } from "zod";
import { integerQuery, optionalIntegerQuery } from "./integerQuery.ts";
import { addressOut, dateTime } from "./primitives.ts";

/** Base and quote of a market, separated by an underscore. */
export const marketPair = z
  .string()
  .regex(/^[A-Z0-9]{1,41}_[A-Z0-9]{2,12}$/, "must be a pair such as BTC_USDT: base and quote in upper case")
  .describe("Base and quote, such as `BTC_USDT`.");

export const marketStatuses = ["fresh", "stale", "unavailable"] as const;
export const marketReasons = ["source_down", "no_data", "gap", "too_short"] as const;

/** A market with its last price. */
export const market = z
  .object({
    pair: z.string(),
    base: z.string(),
    quote: z.string(),
    symbol: z
      .string()
      .describe("The symbol of a launched token, which its creator chose freely; for other markets the base."),
    token: addressOut.nullable().describe("The address of the launched token; null for other markets."),
    source: z.enum(["pool", "exchange", "import"]),
    exchange: z.string().nullable(),
    status: z
      .enum(marketStatuses)
      .describe(
        "The status by the age of the last hourly bar: `stale` above 2 hours, `unavailable` above 6 hours or " +
          "without a bar.",
      ),
    reason: z.enum(marketReasons).nullable().describe("The reason why the market is unavailable."),
    last_bar_at: dateTime
      .nullable()
      .describe("The time at which the last stored hourly bar opened; null without a bar."),
    first_bar_at: dateTime.nullable(),
    bars_1h: z.int().describe("The number of stored hourly bars."),
    gaps_30d: z
      .int()
      .nullable()
      .describe(
        "The number of hourly bars that the source lacks in the last 30 days. Null for a pool, where an hour " +
          "without a trade has no bar.",
      ),
    price: z.number().nullable().describe("The last close, in the quote asset. Null when the market is unavailable."),
    change_24h: z
      .number()
      .nullable()
      .describe("The change of the price over the 24 hours before the last bar; 0.01 is 1%."),
  })
  .meta({ id: "Market", description: "A market with stored bars. Unknown values are null." });
export type MarketItem = z.infer<typeof market>;

export const markets = z
  .object({ items: z.array(market) })
  .meta({ id: "Markets", description: "The markets by pair." });

export const barInterval = z.enum(["1m", "1h"]);
export type BarLength = z.infer<typeof barInterval>;

export const barsQuery = z.object({
  interval: barInterval
    .default("1h")
    .describe("The length of a bar. Minute bars are kept for 90 days, hourly bars forever."),
  limit: integerQuery(1, 1_000, 300).describe("The maximum number of bars."),
  before: optionalIntegerQuery(0, 10 ** 12 - 1, "must be a Unix time in seconds, from 0 to 999999999999").describe(
    "Only bars that open before this time, in Unix seconds.",
  ),
});

/** A closed bar: the fields of a launch's candle, and the volume in the base asset. */
export const marketBar = z
  .object({
    t: z.int(),
    o: z.number(),
    h: z.number(),
    l: z.number(),
    c: z.number(),
    v: z.number().nullable(),
    vq: z.number().nullable(),
    n: z.int().nullable(),
    vb: z.number(),
  })
  .meta({
    id: "MarketBar",
    description:
      "A closed bar: `t` its open in Unix seconds, prices and `vq` in the quote asset, `v` the volume in USD, `n` trades, " +
      "`vb` the volume in the base asset. A volume or number of trades that the source does not report is null.",
  });

/** Bars of a market in ascending order; missing bars are omitted. */
export const marketBars = z
  .object({
    pair: z.string(),
    interval: barInterval,
    quote: z.string().describe("The quote asset of the prices."),
    items: z.array(marketBar),
    next_before: z.int().nullable().describe("Pass it as `before` to get the previous page; null on the first page."),
  })
  .meta({
    id: "MarketBars",
    description: "Closed bars, oldest first. Bars that the source does not have are left out.",
  });
