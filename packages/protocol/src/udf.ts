import { z } from "zod";
import { integerQuery, optionalIntegerQuery, requiredIntegerQuery } from "./integerQuery.ts";
import { text } from "./text.ts";

/** The resolutions of TradingView's UDF, and the lengths of our candles in seconds. */
export const udfResolutions = { "1": 60, "5": 300, "60": 3600, "1D": 86400 } as const;
export type UdfResolution = keyof typeof udfResolutions;
export const resolutionNames = Object.keys(udfResolutions) as UdfResolution[];

/** The maximum number of bars of an answer. */
export const maxUdfBars = 2_000;

const unixTime = requiredIntegerQuery(-(10 ** 11), 10 ** 11);

export const udfSymbolQuery = z.object({
  symbol: text().max(100).describe("A ticker of /search, or the address of a token."),
});
export const udfSearchQuery = z.object({
  query: text().max(200).default("").describe("A part of the name, symbol or address."),
  type: text().max(30).optional().describe("Ignored: every symbol is `crypto`."),
  exchange: text().max(30).optional().describe("Ignored: there is one exchange."),
  limit: integerQuery(1, 1_000, 30).describe("The maximum number of symbols; at most 100 are returned."),
});
export const udfHistoryQuery = z.object({
  symbol: udfSymbolQuery.shape.symbol,
  resolution: text().max(10).describe("`1`, `5`, `60` or `1D`; also `D`."),
  from: unixTime.describe("The first time, in Unix seconds."),
  to: unixTime.describe("The time after the last bar, in Unix seconds."),
  countback: optionalIntegerQuery(1, 10 ** 6).describe("The number of bars before `to`; `from` is then ignored."),
});

const udfError = z.object({ s: z.literal("error"), errmsg: z.string() });

export const udfConfig = z
  .object({
    supported_resolutions: z.array(z.string()),
    supports_search: z.boolean(),
    supports_group_request: z.boolean(),
    supports_marks: z.boolean(),
    supports_timescale_marks: z.boolean(),
    supports_time: z.boolean(),
    exchanges: z.array(z.object({ value: z.string(), name: z.string(), desc: z.string() })),
    symbols_types: z.array(z.object({ name: z.string(), value: z.string() })),
  })
  .meta({ id: "UdfConfig" });

const symbolInfo = z.object({
  name: z.string(),
  ticker: z.string().describe("The address of the token; with `/WETH` if its prices are in wrapped native."),
  description: z.string(),
  type: z.literal("crypto"),
  session: z.literal("24x7"),
  timezone: z.literal("Etc/UTC"),
  exchange: z.string(),
  listed_exchange: z.string(),
  minmov: z.literal(1),
  pricescale: z.number().describe("A power of ten: the precision of prices, fixed for the life of the token."),
  has_intraday: z.literal(true),
  intraday_multipliers: z.array(z.string()),
  has_daily: z.literal(true),
  supported_resolutions: z.array(z.string()),
  volume_precision: z.literal(2),
  currency_code: z.enum(["USD", "WETH"]),
  data_status: z.literal("pulsed"),
  format: z.literal("price"),
});
export type UdfSymbol = z.infer<typeof symbolInfo>;
export const udfSymbol = z.union([symbolInfo, udfError]).meta({ id: "UdfSymbol" });

export const udfSearch = z
  .array(
    z.object({
      symbol: z.string(),
      full_name: z.string(),
      description: z.string(),
      exchange: z.string(),
      ticker: z.string(),
      type: z.literal("crypto"),
    }),
  )
  .meta({ id: "UdfSearch" });

const numbers = z.array(z.number());
export const udfHistory = z
  .union([
    z.object({ s: z.literal("ok"), t: numbers, o: numbers, h: numbers, l: numbers, c: numbers, v: numbers }),
    z.object({
      s: z.literal("no_data"),
      nextTime: z.int().optional().describe("The time of the newest bar before `from`."),
    }),
    udfError,
  ])
  .meta({ id: "UdfHistory" });
export type UdfHistory = z.infer<typeof udfHistory>;
