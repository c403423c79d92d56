import { SlipwayError } from "@slipway/protocol/errors";
import { latestSignals, signalHistory, signalRecords } from "@slipway/protocol/signals";
import { createVersionedCache } from "../../cache/createVersionedCache.ts";
import { createSignedCursors } from "../../db/signedCursors.ts";
import type { Deps } from "../../deps.ts";
import { toSignal } from "../../live/toSignal.ts";
import { listMarkets, readMarketVersion } from "../../markets/readMarkets.ts";
import { toIsoTime } from "../../pricing/format.ts";
import { createRoute, type Route } from "../../route.ts";
import {
  getEvaluatedThrough,
  type ListedSignal,
  listHistory,
  listLatest,
  listRecords,
  type SignalFilter,
} from "./queries.ts";
import type { StoredBin } from "./recordQueries.ts";

const disclaimer =
  "An estimate from price history, not advice. Records are after costs; most strategies show no skill.";
/** Significant digits of a return in basis points. */
const digits = 9;

/** Creates the routes of trading signals, their outcomes, and the records of strategies. */
export function signalsRoutes(deps: Deps): Route[] {
  const db = deps.db.read;
  const cursors = createSignedCursors(deps.db, deps.ids);
  // The schemas parse responses, which restores the field order of records that jsonb does not keep.
  const cache = createVersionedCache({
    clock: deps.clock,
    maxBytes: deps.config.READ_CACHE_BYTES,
    readVersion: () => deps.db.readNewest(readMarketVersion),
  });
  /** Returns the pairs of the fresh markets. */
  const getFreshPairs = async () => {
    const markets = await listMarkets(db, Math.floor(deps.clock.now() / 1_000));
    return new Set(markets.filter(({ status }) => status === "fresh").map(({ pair }) => pair));
  };

  return [
    createRoute("getLatestSignals", {
      cache: "public-10s",
      handle: async ({ query: { pair = null, strategy = null, direction = null, limit } }) =>
        await cache.getResponse(JSON.stringify(["latest", pair, strategy, direction, limit]), async () => {
          const [rows, fresh, through] = await Promise.all([
            listLatest(db, { pair, strategy, direction }, limit),
            getFreshPairs(),
            getEvaluatedThrough(db),
          ]);
          const items = rows.map((row) => toSignal(row, !fresh.has(row.pair)));
          return latestSignals.parse({ as_of: toTime(through), count: items.length, disclaimer, items });
        }),
    }),

    createRoute("listSignals", {
      cache: "public-10s",
      handle: async ({ query }) => {
        const { limit, cursor } = query;
        const filter: SignalFilter = {
          ...{ pair: query.pair ?? null, strategy: query.strategy ?? null, direction: query.direction ?? null },
          ...{ outcome: query.outcome ?? null, from: toSeconds(query.from), to: toSeconds(query.to) },
        };
        const name = ["signals", filter];
        return await cache.getResponse(JSON.stringify([name, limit, cursor]), async () => {
          const place = cursor === undefined ? null : await cursors.open(name, cursor);
          if (cursor !== undefined && place === null) {
            const problem = "cursor must be next_cursor of a page of this query.";
            throw new SlipwayError("invalid_query", problem, { field: "cursor" });
          }
          const after = place === null ? null : { closedAt: Number(place[0]), id: String(place[1]) };
          const [rows, fresh, through] = await Promise.all([
            listHistory(db, filter, { after, limit: limit + 1 }),
            getFreshPairs(),
            getEvaluatedThrough(db),
          ]);
          const page = rows.slice(0, limit);
          const last = page.at(-1);
          const hasMore = rows.length > limit && last !== undefined;
          return signalHistory.parse({
            ...{ as_of: toTime(through), count: page.length, disclaimer },
            items: page.map((row) => toPastSignal(row, !fresh.has(row.pair))),
            next_cursor: hasMore ? await cursors.seal(name, [last.closed_at, last.id]) : null,
          });
        });
      },
    }),

    createRoute("getSignalRecords", {
      cache: "public-10s",
      handle: async ({ query: { pair = null, strategy = null } }) =>
        await cache.getResponse(JSON.stringify(["records", pair, strategy]), async () => {
          const rows = await listRecords(db, { pair, strategy });
          const computed = rows.map(({ computed_at }) => computed_at);
          const reliability = addBins(rows.flatMap(({ bins }) => bins));
          return signalRecords.parse({
            as_of: toTime(computed.length === 0 ? null : Math.max(...computed)),
            count: rows.length,
            disclaimer,
            items: rows.map(({ bins, pair: of, strategy: name, strategy_version, resolved, skill, track_record }) => ({
              ...{ pair: of, strategy: name, strategy_version, resolved, skill, track_record, reliability: bins },
            })),
            reliability,
            calibration_error: getCalibrationError(reliability),
          });
        }),
    }),
  ];
}

const toTime = (seconds: number | null): string | null => (seconds === null ? null : toIsoTime(seconds));

const toSeconds = (time: string | undefined): number | null =>
  time === undefined ? null : Math.ceil(Date.parse(time) / 1_000);

function toPastSignal(row: ListedSignal, stale: boolean) {
  const { outcome, exit_reason, exit_price, net_return, resolved_at } = row;
  return {
    ...toSignal(row, stale),
    ...{ outcome: outcome ?? "open", exit_reason, exit_price },
    return_bps: net_return === null ? null : Number((net_return * 10_000).toPrecision(digits)),
    resolved_at: toTime(resolved_at),
  };
}

/** Merges the bins of several records. */
function addBins(bins: readonly StoredBin[]): StoredBin[] {
  return [...Map.groupBy(bins, ({ from }) => from).values()]
    .map((same) => {
      const count = same.reduce((sum, bin) => sum + bin.count, 0);
      const weigh = (name: "mean_confidence" | "hit_rate") =>
        Number((same.reduce((sum, bin) => sum + bin.count * bin[name], 0) / count).toPrecision(6));
      const { from, to } = same[0]!;
      return { from, to, count, mean_confidence: weigh("mean_confidence"), hit_rate: weigh("hit_rate") };
    })
    .sort((a, b) => a.from - b.from);
}

function getCalibrationError(bins: readonly StoredBin[]): number | null {
  const count = bins.reduce((sum, bin) => sum + bin.count, 0);
  if (count === 0) return null;
  const distance = bins.reduce((sum, bin) => sum + bin.count * Math.abs(bin.mean_confidence - bin.hit_rate), 0);
  return Number((distance / count).toPrecision(6));
}
