import { candleSources, listedBucketStart } from "@slipway/protocol/candle";
import type { IndexedCandles, ListedInterval } from "@slipway/protocol/indexed";
import { toTokenTag } from "../../cache/cacheTag.ts";
import type { Queryable } from "../../db/database.ts";
import type { Deps } from "../../deps.ts";
import type { SeriesState } from "../../history/candleQueries.ts";
import { type History, secondCandlesAge } from "../../history/history.ts";
import { type CandleRow, toIndexedCandle } from "../../pricing/toIndexedCandle.ts";
import { createRoute, type Route } from "../../route.ts";
import { combineCandles, fillCandles } from "./candleSeries.ts";
import { requireIndexed } from "./pageRoutes.ts";

/** Default of `before`: later than any block. */
const maxTime = 10 ** 12;

type CandleQuery = { address: string; interval: ListedInterval; before: number; limit: number; fill: boolean };

/** Candles of a page, and what their conversion needs. */
type Series = Pick<SeriesState, "usd_known" | "head_time"> & {
  seconds: number;
  /** Newest first, with the number of different accounts, null if unknown; one more than the limit if older ones exist. */
  candles: (CandleRow & { traders: number | null })[];
  /** Whether older candles exist that `candles` lacks. */
  isCut: boolean;
  /** The series has no candle that starts later; Unix seconds. */
  end: number;
};

/** Creates the route of a token's candles. */
export function candleRoute(deps: Deps): Route {
  return createRoute("listTokenCandles", {
    cache: "public-10s",
    handle: async ({ params, query: { interval, limit, before = maxTime, ...query } }) => {
      const page = { address: params.address.toLowerCase(), interval, limit, before, fill: query.fill === "true" };
      // Filled candles end with the last indexed block.
      const clock = page.fill ? [interval === "1s" ? ("block" as const) : ("minute" as const)] : [];
      const tags = [toTokenTag(page.address), ...clock];
      return await deps.readModel.getResponse(JSON.stringify(["candles", page]), tags, async (db) => {
        const series =
          interval === "1s"
            ? await readSeconds(db, deps.history, page)
            : await readSeries(db, deps.history, { ...page, ...candleSources[interval] });
        return toIndexedCandles(requireIndexed(series), page);
      });
    },
  });
}

/** @param page.stored - The length of the stored candles that the candles of `seconds` are combined from. */
async function readSeries(
  db: Queryable,
  history: History,
  page: Pick<CandleQuery, "address" | "before" | "limit"> & { seconds: number; stored: number },
): Promise<Series | null> {
  const { address, before, limit, seconds, stored } = page;
  const parts = seconds / stored;
  // The last candle that starts before `before` contains parts and trades after it.
  const end = listedBucketStart(before - 1, seconds) + seconds;
  const range = { before: end, limit: (limit + 1) * parts, seconds: stored, bucketSeconds: seconds };
  const rows = await history.candles(db, { address, ...range });
  if (rows === null) return null;
  const found = rows.filter((row): row is (typeof rows)[number] & CandleRow => row.t !== null);
  const { usd_known, head_time, counts } = rows[0]!;
  const candles = combineCandles(found, seconds).map((candle) => {
    const counted = counts?.[candle.t];
    // Fewer trades are counted where a page's maximum is reached, or trades were removed.
    return { ...candle, traders: counted?.trades === candle.n ? counted.traders : null };
  });
  return { usd_known, head_time, seconds, candles, isCut: false, end: head_time };
}

async function readSeconds(db: Queryable, history: History, page: CandleQuery): Promise<Series | null> {
  const found = await history.seconds(db, page);
  if (found === null) return null;
  const { launch_time: launchTime, hasMore: isCut, ...series } = found;
  return { ...series, seconds: 1, isCut, end: Math.min(series.head_time, launchTime + secondCandlesAge - 1) };
}

/**
 * Converts a page of candles to the wire format, oldest first. A series has one quote for all its pages: USD when the
 * value of every trade of the token is known, otherwise wrapped native with `v` null.
 */
function toIndexedCandles(series: Series, { interval, limit, fill, before }: CandleQuery): IndexedCandles {
  const { seconds, usd_known: isUsdKnown, end } = series;
  // A filled page begins with the close of the candle before it.
  const shown = series.candles.slice(0, fill ? limit + 1 : limit);
  const convert = (quote: "usd" | "eth") => shown.map((candle) => toIndexedCandle(candle, quote, candle.traders));
  const inUsd = isUsdKnown ? convert("usd") : [];
  const isUsd = isUsdKnown && !inUsd.includes(null);
  const candles = (isUsd ? inUsd : convert("eth")).filter((candle) => candle !== null).toReversed();
  const last = listedBucketStart(Math.min(before - 1, end), seconds);
  const items = fill ? fillCandles(candles, { seconds, last, count: limit }) : candles;
  const oldest = series.candles.at(-1);
  const first = items[0]?.t;
  return {
    interval,
    items,
    price_usd_available: isUsd,
    quote: isUsd ? "usd" : "eth",
    next_before: first !== undefined && (series.isCut || oldest!.t < first) ? first : null,
  };
}
