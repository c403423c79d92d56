import type { BarLength } from "@slipway/protocol/markets";
import { queryOptions } from "@tanstack/react-query";
import { pageOptions, readOptions } from "./queries.ts";

/** Bars of a page of the chart. */
const barPageSize = 300;

/** Markets change with each closed bar; the answer is the same for ten seconds. */
export const marketsOptions = queryOptions({ ...readOptions("listMarkets", undefined), refetchInterval: 15_000 });

/** Closed bars, oldest first; the first page is the newest. */
export const barPages = (pair: string, interval: BarLength) =>
  pageOptions("listMarketBars", { pair, interval, limit: barPageSize });

/** Signals come with the close of an hour. */
export const latestSignals = queryOptions({
  ...readOptions("getLatestSignals", { limit: 200 }),
  refetchInterval: 60_000,
});

/** Signals of a pair, newest first. */
export const signalPages = (pair: string) => pageOptions("listSignals", { pair, limit: 20 });

/** What is known of each strategy on a pair. */
export const signalRecords = (pair: string) => readOptions("getSignalRecords", { pair });
