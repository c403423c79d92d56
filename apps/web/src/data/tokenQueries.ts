import type { CandleInterval } from "@slipway/protocol/indexed";
import { pageOptions, readOptions } from "./queries.ts";

/** Trades per page of the tape, and candles per page of the chart. */
const tradePageSize = 50;
const candlePageSize = 300;

/** Converts an address to lower case, because a URL may have any case. */
const normalize = (address: string) => address.toLowerCase();

export const tokenOptions = (address: string) => readOptions("getToken", { address: normalize(address) });

export const factsOptions = (address: string) => readOptions("getTokenFacts", { address: normalize(address) });

/** Query options for trades, newest first, in pages. */
export const tradePages = (address: string) =>
  pageOptions("listTokenTrades", { address: normalize(address), limit: tradePageSize }, ({ items, next_before }) => {
    // The first page does not contain the start of the next one.
    const before = next_before === undefined && items.length >= tradePageSize ? items.at(-1)!.id : next_before;
    return before ? { before } : null;
  });

/** Query options for candles, oldest first; the first page is the newest. */
export const candlePages = (address: string, interval: CandleInterval) =>
  pageOptions("listTokenCandles", { address: normalize(address), interval, limit: candlePageSize });

export const holderPages = (address: string) =>
  pageOptions("listTokenHolders", { address: normalize(address), limit: 20 });
