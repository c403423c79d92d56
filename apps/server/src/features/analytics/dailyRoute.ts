import { bucketStart } from "@slipway/protocol/candle";
import type { DailyAnalytics } from "@slipway/protocol/dailyAnalytics";
import { SlipwayError } from "@slipway/protocol/errors";
import type { FreshIndex } from "../../cache/indexStatus.ts";
import { serializeCsv } from "../../cache/serializeCsv.ts";
import { toAsOf } from "../../cache/toAsOf.ts";
import type { Deps } from "../../deps.ts";
import { toDollars, toIsoTime } from "../../pricing/format.ts";
import { createRoute, type Route } from "../../route.ts";
import { type DailyRow, type DayRow, readDays } from "./dailyQueries.ts";

const daySeconds = 86_400;

/** Default of `before`: later than any block. */
const maxTime = 10 ** 11;

/** Creates the route of the sums of each day. */
export function dailyRoute(deps: Deps): Route {
  return createRoute("listDailyAnalytics", {
    cache: "public-10s",
    handle: async ({ query: { limit, before, format } }) => {
      const end = before === undefined ? maxTime : Date.parse(`${before}T00:00:00Z`) / 1_000;
      const key = JSON.stringify(["days", end, limit, format]);
      return await deps.readModel.getResponse(key, ["block", "tokens"], async (db, { index }) => {
        const row = await readDays(db, { before: end, limit });
        if (!row.is_complete) throw new SlipwayError("index_unavailable", "The sums of days are being computed.");
        const answer = toDailyAnalytics(row, { end, limit, index });
        return format === "csv" ? serializeCsv(csvHeader, answer.items.map(toCsvRow)) : answer;
      });
    },
  });
}

const toDate = (seconds: number) => toIsoTime(seconds).slice(0, 10);

const emptyDay: Omit<DayRow, "t"> = {
  launches: 0,
  trades: 0,
  traders: 0,
  volume_quote: "0",
  volume_usd: "0",
  fees_usd: "0",
  fees_protocol_usd: "0",
  fees_collaborators_usd: "0",
};

/** Converts the sums of a range to the wire format, with a row for each day since the first. */
function toDailyAnalytics(
  row: DailyRow,
  { end, limit, index }: { end: number; limit: number; index: FreshIndex },
): DailyAnalytics {
  const today = bucketStart(row.index_time, daySeconds);
  const last = Math.min(today, end - daySeconds);
  const first = row.first_day ?? last + daySeconds;
  const start = Math.max(first, last - (limit - 1) * daySeconds);
  const byDay = new Map(row.days.map((day) => [day.t, day]));
  const items: DailyAnalytics["items"] = [];
  for (let t = start; t <= last; t += daySeconds) {
    items.push(toDay(byDay.get(t) ?? { t, ...emptyDay }, t < today));
  }
  return {
    items,
    next_before: items.length > 0 && start > first ? toDate(start) : null,
    as_of: toAsOf({ block: row.index_block, time: row.index_time }, index),
  };
}

function toDay(day: DayRow, complete: boolean): DailyAnalytics["items"][number] {
  return {
    date: toDate(day.t),
    launches: day.launches,
    trades: day.trades,
    traders: day.traders,
    volume_eth: Number(day.volume_quote) / 1e18,
    volume_usd: toDollars(day.volume_usd),
    fees_usd: toDollars(day.fees_usd),
    fees_collaborators_usd: toDollars(day.fees_collaborators_usd),
    fees_protocol_usd: toDollars(day.fees_protocol_usd),
    complete,
  };
}

const csvHeader = [
  ...["date", "launches", "trades", "traders", "volume_eth", "volume_usd", "fees_usd"],
  ...["fees_collaborators_usd", "fees_protocol_usd", "complete"],
];

const toCsvRow = (day: DailyAnalytics["items"][number]) => [
  { text: day.date },
  ...[day.launches, day.trades, day.traders, day.volume_eth, day.volume_usd, day.fees_usd],
  ...[day.fees_collaborators_usd, day.fees_protocol_usd],
  { text: String(day.complete) },
];
