import {
  maxUdfBars,
  resolutionNames,
  type UdfHistory,
  type UdfResolution,
  type UdfSymbol,
  udfResolutions,
} from "@slipway/protocol/udf";
import { CachedResponse } from "../../cache/cachedResponse.ts";
import { searchTokenTexts } from "../../db/textSearch.ts";
import type { Deps } from "../../deps.ts";
import { toChecksumAddress } from "../../pricing/format.ts";
import { createRoute, type Route } from "../../route.ts";
import { type ChartToken, findChartToken, listChartTokens } from "./feedQueries.ts";
import { nameToken, requireFinal } from "./pairFeed.ts";
import { readUdfBars } from "./udfBars.ts";

const exchange = "Slipway";
const maxSymbols = 100;
/** Digits of the launch price that `pricescale` keeps, and its largest exponent. */
const priceDigits = 4;
const maxScale = 16;

const tokenTexts = { table: "chain.tokens", id: "id", newest: "block_number desc, log_index desc" };

const config = {
  supported_resolutions: resolutionNames,
  // Only one of search and group requests can be true.
  supports_search: true,
  supports_group_request: false,
  supports_marks: false,
  supports_timescale_marks: false,
  supports_time: true,
  exchanges: [{ value: exchange, name: exchange, desc: exchange }],
  symbols_types: [{ name: "Crypto", value: "crypto" }],
};

/** The routes of TradingView's charts. Source: UDF of the Charting Library (docs/feeds.md). */
export function udfRoutes(deps: Deps): Route[] {
  const { readModel } = deps;
  return [
    createRoute("getUdfConfig", {
      cache: "public-10s",
      handle: async () => await readModel.getResponse("udf-config", [], async () => config),
    }),

    createRoute("getUdfTime", {
      handle: async () => {
        await readModel.getFreshIndex();
        const seconds = String(Math.floor(deps.clock.now() / 1000));
        return new CachedResponse(Buffer.from(seconds), null, "text/plain; charset=utf-8");
      },
    }),

    createRoute("getUdfSymbol", {
      cache: "public-10s",
      handle: async ({ query }) => {
        const address = parseSymbol(query.symbol)?.address ?? null;
        return await readModel.getResponse(JSON.stringify(["udf-symbol", address]), ["minute"], async (db) => {
          const { block } = await requireFinal(db, deps.config);
          const token = address === null ? null : await findChartToken(db, address, block);
          return token === null ? unknownSymbol : toSymbol(token);
        });
      },
    }),

    createRoute("searchUdfSymbols", {
      cache: "public-10s",
      handle: async ({ query }) => {
        const limit = Math.min(query.limit, maxSymbols);
        const text = query.query.trim().toLowerCase();
        return await readModel.getResponse(JSON.stringify(["udf-search", text, limit]), ["minute"], async (db) => {
          const { block: finalBlock } = await requireFinal(db, deps.config);
          const search = text === "" ? null : await searchTokenTexts(db, tokenTexts, text);
          const tokens = await listChartTokens(db, { search, finalBlock, limit });
          return tokens.map(toSearchResult);
        });
      },
    }),

    createRoute("getUdfHistory", {
      cache: "public-10s",
      handle: async ({ query: { symbol, resolution, from, to, countback } }) => {
        const parsed = parseSymbol(symbol);
        const name = resolution === "D" ? "1D" : resolution;
        const seconds = resolutionNames.includes(name as UdfResolution) ? udfResolutions[name as UdfResolution] : null;
        const wanted = {
          from,
          to,
          limit: Math.min(countback ?? maxUdfBars, maxUdfBars),
          hasCount: countback !== undefined,
        };
        const key = JSON.stringify(["udf-history", parsed, seconds, wanted]);
        return await readModel.getResponse(key, ["minute"], async (db): Promise<UdfHistory> => {
          if (parsed === null) return unknownSymbol;
          if (seconds === null) return { s: "error", errmsg: "unknown_resolution" };
          const final = await requireFinal(db, deps.config);
          const token = await findChartToken(db, parsed.address, final.block);
          if (token === null) return unknownSymbol;
          // A chart keeps its currency: bars of another one belong to another ticker.
          if (token.usd_known !== (parsed.currency === "USD")) {
            return { s: "error", errmsg: `the ticker of this token is now ${toTicker(token)}` };
          }
          return await readUdfBars(
            db,
            deps.history,
            { address: parsed.address, currency: parsed.currency, seconds, ...wanted },
            final.time,
          );
        });
      },
    }),
  ];
}

const unknownSymbol = { s: "error", errmsg: "unknown_symbol" } as const;

type Currency = UdfSymbol["currency_code"];

/** Parses a ticker; null if it is none. */
function parseSymbol(symbol: string): { address: string; currency: Currency } | null {
  const [, address, suffix] = /^(0x[0-9a-fA-F]{40})(\/WETH)?$/.exec(symbol) ?? [];
  if (address === undefined) return null;
  return { address: address.toLowerCase(), currency: suffix === undefined ? "USD" : "WETH" };
}

const getCurrency = ({ usd_known }: ChartToken): Currency => (usd_known ? "USD" : "WETH");

/** The ticker is the address, because symbols are not unique. */
const toTicker = (token: ChartToken) => `${toChecksumAddress(token.address)}${token.usd_known ? "" : "/WETH"}`;

const toPairName = (token: ChartToken) => `${nameToken(token).symbol}/${getCurrency(token)}`;

function toSearchResult(token: ChartToken) {
  const ticker = toTicker(token);
  const { name } = nameToken(token);
  return { symbol: toPairName(token), full_name: ticker, description: name, exchange, ticker, type: "crypto" as const };
}

function toSymbol(token: ChartToken): UdfSymbol {
  return {
    name: toPairName(token),
    ticker: toTicker(token),
    description: nameToken(token).name,
    type: "crypto",
    session: "24x7",
    timezone: "Etc/UTC",
    exchange,
    listed_exchange: exchange,
    minmov: 1,
    pricescale: getPriceScale(token.usd_known ? token.start_price * token.start_eth_usd! : token.start_price),
    has_intraday: true,
    intraday_multipliers: resolutionNames.filter((name) => name !== "1D"),
    has_daily: true,
    supported_resolutions: resolutionNames,
    volume_precision: 2,
    currency_code: getCurrency(token),
    data_status: "pulsed",
    format: "price",
  };
}

/** Returns a power of ten that keeps four digits of the price at the launch. */
export function getPriceScale(startPrice: number): number {
  const exponent = priceDigits - 1 - Math.floor(Math.log10(startPrice));
  return 10 ** Math.min(maxScale, Math.max(0, exponent));
}
