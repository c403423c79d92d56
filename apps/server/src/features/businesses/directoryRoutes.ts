import { type DirectorySource, type directory, directorySources, partnerSources } from "@slipway/protocol/businesses";
import { maxCountedMatches } from "@slipway/protocol/searchLimits";
import type { VersionedCache } from "../../cache/createVersionedCache.ts";
import type { Queryable } from "../../db/database.ts";
import { createSignedCursors } from "../../db/signedCursors.ts";
import type { Deps } from "../../deps.ts";
import { createRoute, type Route } from "../../route.ts";
import {
  countLegacy,
  getIndexedChain,
  type IndexedChain,
  type LegacyTotals,
  listLegacy,
  listSources,
  type SourceRow,
} from "./directoryQueries.ts";
import { getFeedUrl, getStaleMs } from "./feedSettings.ts";
import type { ListedRow, ListingFilter } from "./listingSql.ts";
import { readListPage, toSearch } from "./listPage.ts";
import { countListings, listAndCount } from "./queries.ts";
import { getMediaUrl } from "./toBusiness.ts";

/** Routes of the directory, which lists the listings of all sources in one order. */
export function directoryRoutes(deps: Deps, cache: VersionedCache): Route[] {
  const { config, clock } = deps;
  const mediaUrl = getMediaUrl(config);
  const cursors = createSignedCursors(deps.db, deps.ids);

  return [
    createRoute("getDirectory", {
      cache: "public-10s",
      handle: async ({ query: { source, q, limit, cursor } }) => {
        const filter: ListingFilter = {
          list: `directory ${source}`,
          source: source === "all" || source === "legacy" ? null : source,
          search: toSearch(q),
          merged: source === "all",
        };
        const db = deps.db.read;
        return await cache.getResponse(JSON.stringify([filter, limit, cursor]), async () => {
          const chain = await getIndexedChain(db);
          let matches: number | null = null;
          const page = await readListPage(db, cursors, { filter, limit, cursor }, mediaUrl, async (read, at) => {
            const merged = await readMerged(db, chain, read, at, source);
            matches = merged.matches;
            return merged.rows;
          });
          const [rows, legacy] = await Promise.all([listSources(db), countLegacy(db, chain, null, false)]);
          const changes = [...rows.map(({ changed_at }) => changed_at?.getTime() ?? 0), (legacy.changed ?? 0) * 1_000];
          const latest = Math.max(...changes);
          return {
            items: page.items.map((item) => ({ ...item, also_on: item.also_on ?? [] })),
            sources: directorySources.map((name) =>
              name === "legacy"
                ? describeLegacy(legacy)
                : describeSource(
                    name,
                    rows.find((row) => row.source === name),
                    {
                      isFeed: getFeedUrl(config, name) !== null,
                      freshFrom: clock.now() - getStaleMs(config),
                    },
                  ),
            ),
            total: await countAll(db, chain, page.filter, source, { rows, legacy, matches }),
            next_cursor: page.nextCursor,
            as_of: latest === 0 ? null : new Date(latest).toISOString(),
          };
        });
      },
    }),
  ];
}

type Wanted = DirectorySource | "all";

/** Reads listings and legacy tokens in one order, and the number of listings that match; null if not counted. */
async function readMerged(
  db: Queryable,
  chain: IndexedChain,
  filter: ListingFilter,
  page: Parameters<typeof listAndCount>[2],
  source: Wanted,
): Promise<{ rows: ListedRow[]; matches: number | null }> {
  const { rows, matches } = source === "legacy" ? { rows: [], matches: 0 } : await listAndCount(db, filter, page);
  const legacy = source === "all" || source === "legacy" ? await listLegacy(db, chain, filter, page) : [];
  return { rows: [...rows, ...legacy].sort(compareRows).slice(0, page.limit), matches };
}

/** Compares rows by descending place, time and id, the order of both lists. Ids are ASCII, so `<` orders them as SQL does. */
function compareRows(a: ListedRow, b: ListedRow): number {
  if (a.place !== b.place) return Number(b.place) - Number(a.place);
  if (a.micros !== b.micros) return BigInt(b.micros) > BigInt(a.micros) ? 1 : -1;
  return a.id < b.id ? 1 : -1;
}

/** Returns the counts of the triggers without a search; counts at most `maxCountedMatches` matches of a search. */
async function countAll(
  db: Queryable,
  chain: IndexedChain,
  filter: ListingFilter,
  source: Wanted,
  counted: { rows: readonly SourceRow[]; legacy: LegacyTotals; matches: number | null },
): Promise<number> {
  const ofLegacy = (totals: LegacyTotals) => (source === "all" ? totals.leads : source === "legacy" ? totals.count : 0);
  if (filter.search === null) {
    const listed = counted.rows.map((row) => (source === "all" ? row.leads : row.source === source ? row.count : 0));
    return listed.reduce((sum, count) => sum + count, ofLegacy(counted.legacy));
  }
  const listed = counted.matches ?? (await countListings(db, filter));
  if (source !== "all" && source !== "legacy") return listed;
  const found = await countLegacy(db, chain, filter.search, filter.similar ?? false);
  return Math.min(listed + ofLegacy(found), maxCountedMatches);
}

type SourceState = ReturnType<(typeof directory)["parse"]>["sources"][number];

/** Describes the legacy tokens, which come from the chain's index and are never stale. */
function describeLegacy({ count, changed }: LegacyTotals): SourceState {
  const updated = changed === null ? null : new Date(changed * 1_000).toISOString();
  return { source: "legacy", count, updated_at: updated, stale: false, error: null };
}

function describeSource(
  source: SourceRow["source"],
  row: SourceRow | undefined,
  { isFeed, freshFrom }: { isFeed: boolean; freshFrom: number },
): SourceState {
  const isPartner = (partnerSources as readonly string[]).includes(source);
  const updated = (isPartner ? row?.fetched_at : row?.changed_at) ?? null;
  return {
    source,
    count: row?.count ?? 0,
    updated_at: updated?.toISOString() ?? null,
    stale: isPartner && isFeed && (updated === null || updated.getTime() < freshFrom),
    error: isPartner ? (row?.error ?? null) : null,
  };
}
