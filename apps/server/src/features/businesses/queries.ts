import type { WebsiteProof } from "@slipway/protocol/businesses";
import { maxCountedMatches, maxScannedRows } from "@slipway/protocol/searchLimits";
import type { Queryable } from "../../db/database.ts";
import {
  countNewestMatches,
  createSearchPattern,
  escapePattern,
  isCommonText,
  isIndexedText,
  type NewestRows,
} from "../../db/textSearch.ts";
import {
  alsoOn,
  columns,
  createCircleSql,
  createFilterSql,
  createRankSql,
  type ListedRow,
  type ListingFilter,
  type ListPosition,
  micros,
  published,
  ranks,
} from "./listingSql.ts";
import type { BusinessRow } from "./toBusiness.ts";

export async function findBusiness(db: Queryable, id: string): Promise<BusinessRow | null> {
  const { rows } = await db.query<BusinessRow>({
    name: "business",
    text: `select ${columns} from app.listings l where l.id = $1 and ${published}`,
    values: [id],
  });
  return rows[0] ?? null;
}

type ListPart = { after: ListPosition | null; limit: number };

/** Lists a page: by relevance or distance where there is one, then newest first. */
export async function listListings(db: Queryable, filter: ListingFilter, page: ListPart): Promise<ListedRow[]> {
  return (await listAndCount(db, filter, page, maxRanked)).rows;
}

/** Matches of which the relevances are compared, where their number is not asked for. */
const maxRanked = 100;

/**
 * Lists a page as `listListings`.
 *
 * @param maxMatches - Of a search: matches that are counted.
 * @returns Also how many listings match, where the page says it: of a search for what listings contain, `maxMatches` at most.
 */
export async function listAndCount(
  db: Queryable,
  filter: ListingFilter,
  page: ListPart,
  maxMatches = maxCountedMatches,
): Promise<{ rows: ListedRow[]; matches: number | null }> {
  const { near, search } = filter;
  if (search !== null && !filter.similar) {
    const isScanned = !(await isIndexedText(db, search));
    return await searchListings(db, { ...filter, search, isScanned }, page, maxMatches);
  }
  if (search !== null || near === undefined) return { rows: await listPart(db, filter, page, null), matches: null };
  const radiusKm = (await findReach(db, filter, near, page)) ?? near.radiusKm;
  return { rows: await listPart(db, { ...filter, near: { ...near, radiusKm } }, page, null), matches: null };
}

/** The columns of a listing that the columns of a ListedRow need. */
const kept = ["id", "source", "listing", "account_id", "image_sha256", "image_cid", "merge_key", "rank"]
  .concat("created_at", "updated_at")
  .map((name) => `l.${name}`)
  .join(", ");

/**
 * Finds the matches of a search. Few are ranked and sorted by one statement. Of more it reads one relevance after the other until
 * the page is full: of a term that many listings have, the database walks the newest ones until it has enough of them, instead
 * of ranking and sorting all.
 *
 * @returns Also how many match, `maxMatches` at most.
 */
async function searchListings(
  db: Queryable,
  filter: Search,
  page: ListPart,
  maxMatches: number,
): Promise<{ rows: ListedRow[]; matches: number }> {
  const newest = filter.near === undefined ? selectNewest(filter) : null;
  if (newest !== null && (await isCommonText(db, newest))) {
    const [rows, matches] = await Promise.all([
      listByRank(db, filter, page),
      countNewestMatches(db, newest, maxMatches),
    ]);
    if (matches === maxMatches) return { rows, matches };
  }
  const few = await rankFew(db, filter, page, maxMatches);
  if (few.matches <= maxMatches) return few;
  return { rows: await listByRank(db, filter, page), matches: maxMatches };
}

type Search = ListingFilter & { search: string };

/** The first relevance that is a beginning of the name, which an index finds of any text. */
const prefixRank = 3;

/**
 * SQL of the listings `l` among which a search is made. A text that no index finds is looked for in the newest; the limit also
 * keeps the planner from reading all of an index for it. Its parameters are the first of the filter's.
 */
function createSource(filter: ListingFilter, rank: number | null): string {
  return filter.isScanned && (rank === null || rank < prefixRank)
    ? `(${createNewest({ ...filter, near: undefined, search: null }, "*", maxScannedRows)}) l`
    : "app.listings l";
}

function createNewest(filter: ListingFilter, selected: string, limit: number): string {
  const { where } = createFilterSql(filter);
  return `select ${selected} from app.listings l where ${where.join(" and ")} order by l.created_at desc, l.id desc limit ${limit}`;
}

function selectNewest(filter: Search): NewestRows {
  const others = { ...filter, search: null };
  const { values } = createFilterSql(others);
  const pattern = `$${values.push(createSearchPattern(filter.search))}::text`;
  return { select: (limit) => createNewest(others, "l.search_text", limit), pattern, values };
}

/** Reads one relevance after the other until the page is full. */
async function listByRank(db: Queryable, filter: Search, page: ListPart): Promise<ListedRow[]> {
  const found: ListedRow[] = [];
  const lastRank = page.after === null ? null : Number(page.after[0]);
  for (const rank of ranks) {
    if (lastRank !== null && rank > lastRank) continue;
    const position = rank === lastRank ? page.after : null;
    found.push(...(await listPart(db, filter, { after: position, limit: page.limit - found.length }, rank)));
    if (found.length === page.limit) break;
  }
  return found;
}

/** Ranks and sorts the matches of a search; no rows where there are more than `maxMatches`. */
async function rankFew(
  db: Queryable,
  filter: Search,
  page: ListPart,
  maxMatches: number,
): Promise<{ rows: ListedRow[]; matches: number }> {
  const { where, join, values } = createFilterSql(filter);
  const bind = (value: unknown) => `$${values.push(value)}`;
  const pattern = `${bind(escapePattern(filter.search))}::text`;
  const place = createRankSql(`${bind(filter.search)}::text`, pattern);
  const ranked = (from: string, condition: string) =>
    `select ${kept}, ${place} as place from ${from} ${join} where ${where.join(" and ")} and ${condition}`;
  const isPrefix = `l.name like ${pattern} || '%'`;
  const matches = filter.isScanned
    ? `${ranked(createSource(filter, null), `not ${isPrefix}`)} union all ${ranked(createSource(filter, prefixRank), isPrefix)}`
    : ranked(createSource(filter, null), "true");
  const sorted = "l.place desc, l.created_at desc, l.id desc";
  const after =
    page.after === null
      ? ""
      : `and (l.place, l.created_at, l.id) < (${bind(page.after[0])}::bigint, ${bindPlace(page.after, bind)})`;
  const { rows } = await db.query<ListedRow & { matches: number }>(
    // Planned for all matches, and read until there are more than are ranked.
    `with matches as materialized (${matches}), few as materialized (select * from matches limit ${maxMatches + 1})
     select n.matches, l.* from (select count(*) as matches from few) n
     left join lateral (
       select ${columns}, ${filter.merged ? `${alsoOn},` : ""} l.place, ${micros("l.created_at")}::text as micros
       from (
         select * from few l where n.matches <= ${maxMatches} ${after} order by ${sorted} limit ${bind(page.limit)}
       ) l order by ${sorted}
     ) l on true`,
    values,
  );
  return { rows: rows.filter(({ id }) => id !== null), matches: rows[0]!.matches };
}

/** SQL of a position's time and id. */
function bindPlace([, time, id]: ListPosition, bind: (value: unknown) => string): string {
  return `timestamptz 'epoch' + ${bind(time)}::bigint * interval '1 microsecond', ${bind(id)}::text collate "C"`;
}

/**
 * A radius in kilometres that holds a whole page of a circle, in which the exact order is then looked for; null where the
 * rest of the circle is no whole page.
 *
 * The index yields listings in the order of degrees on a plane, which stretches longitudes. As many of those as the page has
 * are within the distance of the farthest one, so that the page is too.
 */
async function findReach(
  db: Queryable,
  filter: ListingFilter,
  near: NonNullable<ListingFilter["near"]>,
  { after, limit }: ListPart,
): Promise<number | null> {
  const { where: others, values } = createFilterSql({ ...filter, near: undefined });
  const bind = (value: unknown) => `$${values.push(value)}`;
  const { where, boxes, join } = createCircleSql(near, bind);
  // Places are negative distances.
  if (after !== null) where.push(`d.metres > ${bind(-Number(after[0]))}::bigint`);
  const count = bind(limit);
  const lat = `${bind(near.lat)}::float8`;
  const parts = boxes.map(
    ({ condition, lon }) => `(
      select d.metres from app.listings l ${join} where ${[...others, ...where, condition].join(" and ")}
      order by point(l.lon, l.lat) <-> point(${bind(lon)}::float8, ${lat}) limit ${count})`,
  );
  const { rows } = await db.query<{ metres: number }>(
    `select metres from (${parts.join(" union all ")}) n order by metres offset ${count} - 1 limit 1`,
    values,
  );
  return rows[0] === undefined ? null : rows[0].metres / 1_000;
}

async function listPart(
  db: Queryable,
  filter: ListingFilter,
  page: ListPart,
  searchRank: (typeof ranks)[number] | null,
): Promise<ListedRow[]> {
  const { where, order, join, values } = createFilterSql(filter, searchRank);
  const bind = (value: unknown) => `$${values.push(value)}`;
  if (page.after !== null) {
    const last = bindPlace(page.after, bind);
    where.push(
      order === null || searchRank !== null
        ? `(l.created_at, l.id) < (${last})`
        : `(${order}, l.created_at, l.id) < (${bind(page.after[0])}::bigint, ${last})`,
    );
  }
  const place = order ?? "0::bigint";
  const isOrdered = order === null || searchRank !== null;
  const sorted = `${isOrdered ? "" : "place desc, "}l.created_at desc, l.id desc`;
  const { rows } = await db.query<ListedRow>(
    `select ${columns}, ${filter.merged ? `${alsoOn},` : ""} l.place, ${micros("l.created_at")}::text as micros
     from (
       select l.*, ${place} as place from ${createSource(filter, searchRank)} ${join} where ${where.join(" and ")}
       order by ${sorted} limit ${bind(page.limit)}
     ) l order by ${sorted}`,
    values,
  );
  return rows;
}

/** Counts the listings of a search, `maxCountedMatches` at most; without one the sources' own counts are enough. */
export async function countListings(db: Queryable, filter: ListingFilter): Promise<number> {
  const { where, order, join, values } = createFilterSql(filter);
  // Planned for all that match, and read until there are enough. The order names parameters that the conditions do not.
  const { rows } = await db.query<{ count: number }>(
    `with matches as materialized (
       select ${order ?? "0"} as place from app.listings l ${join} where ${where.join(" and ")}
     )
     select count(*) as count from (select from matches limit ${maxCountedMatches}) x`,
    values,
  );
  return rows[0]!.count;
}

/** Whether the database can find similar names. */
export async function hasTrigrams(db: Queryable): Promise<boolean> {
  const { rowCount } = await db.query("select from pg_extension where extname = 'pg_trgm'");
  return rowCount === 1;
}

export type ProofRow = { website: string } & Pick<WebsiteProof, "code" | "status" | "reason">;

export type OwnRow = BusinessRow & { proof: ProofRow | null };

/** Lists what an account has published, newest first. */
export async function listOwnBusinesses(db: Queryable, accountId: string): Promise<OwnRow[]> {
  const { rows } = await db.query<OwnRow>(
    `select ${columns}, (
       select json_build_object('website', p.website, 'code', p.code, 'status', p.status, 'reason', p.reason)
       from app.website_proofs p where p.listing_id = l.id) as proof
     from app.listings l where l.account_id = $1 and ${published} order by l.created_at desc, l.id desc`,
    [accountId],
  );
  return rows;
}
