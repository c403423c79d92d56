import type { CandleInterval } from "@slipway/protocol/indexed";
import { pageOptions, readOptions } from "./queries.ts";

/** Trades of a page of the tape, and candles of a page of the chart. */
const tradePageSize = 50;
const candlePageSize = 300;

/** An address in a URL has any case; keys of queries have one. */
const normalize = (address: string) => address.toLowerCase();

export const tokenOptions = (address: string) => readOptions("getToken", { address: normalize(address) });

/** Trades, newest first, older ones page by page. */
export const tradePages = (address: string) =>
  pageOptions("listTokenTrades", { address: normalize(address), limit: tradePageSize }, ({ items, next_before }) => {
    // Only pages after the first one say where the next begins.
    const before = next_before === undefined && items.length >= tradePageSize ? items.at(-1)!.id : next_before;
    return before ? { before } : null;
  });

/** Candles, oldest first; the first page is the newest. */
export const candlePages = (address: string, interval: CandleInterval) =>
  pageOptions("listTokenCandles", { address: normalize(address), interval, limit: candlePageSize });

export const holderPages = (address: string) =>
  pageOptions("listTokenHolders", { address: normalize(address), limit: 20 });
