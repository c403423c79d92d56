import type { CandleInterval, ListedInterval } from "@slipway/protocol/indexed";
import { pageOptions, readOptions } from "./queries.ts";

/** Trades per page of the tape; as many as a token's detail has. */
export const tradePageSize = 50;
/** Candles per page of the chart. */
const candlePageSize = 300;

/** Converts an address to lower case, because a URL may have any case. */
const normalize = (address: string) => address.toLowerCase();

export const tokenOptions = (address: string) => readOptions("getToken", { address: normalize(address) });

export const factsOptions = (address: string) => readOptions("getTokenFacts", { address: normalize(address) });

/** Query options for trades, newest first, in pages. */
export const tradePages = (address: string) =>
  pageOptions("listTokenTrades", { address: normalize(address), limit: tradePageSize });

/** Trades of one account per page: the maximum. */
const accountTradePageSize = 300;

/** Query options for an account's trades of a token, newest first, in pages. */
export const accountTradePages = (address: string, account: string) =>
  pageOptions("listTokenTrades", {
    address: normalize(address),
    account: normalize(account),
    limit: accountTradePageSize,
  });

/** Whether the stream has candles of an interval. */
export const isStreamed = (interval: ListedInterval): interval is CandleInterval =>
  ["1m", "5m", "1h", "1d"].includes(interval);

/** Query options for candles, oldest first; the first page is the newest. */
export const candlePages = (address: string, interval: ListedInterval) =>
  pageOptions("listTokenCandles", { address: normalize(address), interval, limit: candlePageSize });

export const traderPages = (address: string, sort: "realized" | "unrealized") =>
  pageOptions("listTokenTraders", { address: normalize(address), sort, limit: 50 });

/** Changes of liquidity per page: the maximum. */
const liquidityPageSize = 300;

/** Query options for the changes of liquidity in a token's pool, newest first, in pages. */
export const liquidityPages = (address: string) =>
  pageOptions("listLiquidityChanges", { address: normalize(address), limit: liquidityPageSize });

export const holderPages = (address: string) =>
  pageOptions("listTokenHolders", { address: normalize(address), limit: 20 });
