import type { BarLength } from "@slipway/protocol/markets";
import { queryOptions } from "@tanstack/react-query";
import { pageOptions, readOptions } from "./queries.ts";

/** Bars per page of the chart. */
const barPageSize = 300;

/** Query options for the markets. They change with each closed bar; responses are cached for ten seconds. */
export const marketsOptions = queryOptions({ ...readOptions("listMarkets", undefined), refetchInterval: 15_000 });

/** Query options for closed bars, oldest first; the first page is the newest. */
export const barPages = (pair: string, interval: BarLength) =>
  pageOptions("listMarketBars", { pair, interval, limit: barPageSize });

/** Query options for the latest signals. New signals appear at the close of an hour. */
export const latestSignals = queryOptions({
  ...readOptions("getLatestSignals", { limit: 200 }),
  refetchInterval: 60_000,
});

/** Query options for the signals of a pair, newest first. */
export const signalPages = (pair: string) => pageOptions("listSignals", { pair, limit: 20 });

/** Query options for the records of each strategy on a pair. */
export const signalRecords = (pair: string) => readOptions("getSignalRecords", { pair });
