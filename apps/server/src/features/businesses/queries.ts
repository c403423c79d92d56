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

/** Lists a page, ordered by relevance or distance if the filter has one, then newest first. */
export async function listListings(db: Queryable, filter: ListingFilter, page: ListPart): Promise<ListedRow[]> {
  return (await listAndCount(db, filter, page, maxRanked)).rows;
}

/** Maximum number of matches that are ranked together if the caller does not need the number of matches. */
const maxRanked = 100;

/**
 * Lists a page like `listListings`.
 *
 * @param maxMatches - Maximum number of counted matches of a search.
 * @returns The rows, and the number of listings that contain the text, at most `maxMatches`; null for other lists.
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
 * Finds the matches of a search. One statement ranks and sorts up to `maxMatches` matches. More matches are read one
 * relevance after the other until the page is full: for a common term, the database scans the newest listings until it
 * has enough matches, instead of ranking and sorting all matches.
 *
 * @returns The rows, and the number of matches, at most `maxMatches`.
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

/** The lowest relevance for names that begin with the text, which an index finds for any text. */
const prefixRank = 3;

/**
 * Creates the SQL of the listings `l` that a search reads. A text that no index finds is searched in the newest
 * listings only; the limit also prevents the planner from reading a whole index. The parameters are the first of the
 * filter's.
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

/** Ranks and sorts the matches of a search; returns no rows if there are more than `maxMatches`. */
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
    // The planner expects all matches; the limit stops the read at more than `maxMatches`.
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

/** Creates the SQL of a position's time and id. */
function bindPlace([, time, id]: ListPosition, bind: (value: unknown) => string): string {
  return `timestamptz 'epoch' + ${bind(time)}::bigint * interval '1 microsecond', ${bind(id)}::text collate "C"`;
}

/**
 * Finds a radius in kilometres that contains a whole page of a circle, so that only listings within the radius need the
 * exact order; null if the rest of the circle is less than a page.
 *
 * The index returns listings in the order of degrees on a plane, which stretches longitudes. The radius is the largest
 * distance among the first `limit` listings, so at least `limit` listings are within the radius.
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

/** Counts the listings of a search, at most `maxCountedMatches`; without a search, use the counts of the sources. */
export async function countListings(db: Queryable, filter: ListingFilter): Promise<number> {
  const { where, order, join, values } = createFilterSql(filter);
  // The planner expects all matches; the limit stops the read. `order` uses parameters that the conditions do not.
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

/** Lists the published listings of an account, newest first. */
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
