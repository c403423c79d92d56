import type { ListingSource, WebsiteProof } from "@slipway/protocol/businesses";
import { maxCountedMatches } from "@slipway/protocol/maxCountedMatches";
import type { Queryable } from "../../db/database.ts";
import { createDistanceSql, getBoundingBoxes, type Place } from "./geography.ts";
import type { BusinessRow } from "./toBusiness.ts";

/** Handles that the account of the listing `l` has proven, as its links write them. */
const ownerVerified = `(l.account_id is not null and exists (
  select from app.identities i
  join app.provider_handles h on h.provider_id = i.provider_id and h.account_id = i.account_id
  where i.user_id = l.account_id and (
    (i.provider_id = 'social' and lower(h.handle) = lower(split_part(l.listing #>> '{links,x}', '/', 4)))
    or (i.provider_id = 'code_host' and lower(h.handle) = lower(split_part(l.listing #>> '{links,github}', '/', 4))))))`;

/** The website of the listing `l` shows its code. */
const websiteVerified = "exists (select from app.website_proofs p where p.listing_id = l.id and p.status = 'verified')";

/** The columns of a BusinessRow, of the listing `l`. */
const columns = `l.id, l.source, l.listing, l.created_at, l.updated_at,
  (select s.fetched_at from app.listing_sources s where s.source = l.source and l.source <> 'own') as fetched_at,
  ${websiteVerified} as website_verified,
  ${ownerVerified} as owner_verified,
  (select json_build_object('sha256', encode(i.sha256, 'hex'), 'width', i.width, 'height', i.height,
      'animated', i.animated, 'blurhash', i.blurhash, 'dominant_color', i.dominant_color,
      'blocked', i.blocked_at is not null)
    from app.images i where i.sha256 = l.image_sha256 or i.cid = l.image_cid limit 1) as image`;

/**
 * The same business at other sources, and the token of an earlier deployment. An own listing has others beside it only while
 * its website is proven: `leads` says the same of them.
 */
const alsoOn = `coalesce((
    select json_agg(json_build_object('source', o.source, 'id', o.id, 'url', o.url) order by o.rank, o.id)
    from (
      select o.source, o.id, o.listing #>> '{attribution,url}' as url, o.rank
      from app.listings o where o.merge_key = l.merge_key and o.rank > l.rank and o.blocked_at is null
        and (l.source <> 'own' or ${websiteVerified})
      union all
      select 'legacy', 'legacy:' || t.address, null, 9
      from chain.checkpoint c
      join chain.tokens t on l.merge_key = 'token:' || c.chain_id || ':' || t.address
        and t.address = split_part(l.merge_key, ':', 3)
      join chain.deployments d on d.id = t.deployment_id and d.legacy
    ) o), '[]') as also_on`;

const published = "l.blocked_at is null";

export async function findBusiness(db: Queryable, id: string): Promise<BusinessRow | null> {
  const { rows } = await db.query<BusinessRow>({
    name: "business",
    text: `select ${columns} from app.listings l where l.id = $1 and ${published}`,
    values: [id],
  });
  return rows[0] ?? null;
}

/** What a list is narrowed to. */
export type ListingFilter = {
  /** The list's name: a cursor of one is refused by another. */
  list: string;
  source: ListingSource | null;
  kind?: string | undefined;
  category?: string | undefined;
  country?: string | undefined;
  near?: (Place & { radiusKm: number }) | undefined;
  /** Lower case. */
  search: string | null;
  /** Names that are similar, instead of texts that contain the search. */
  similar?: boolean;
  /** One listing of each business: for the directory. */
  merged?: boolean;
};

/** Where a row stands in its list: relevance or distance (0 without one), microseconds since the epoch, id. */
export type ListPosition = [rank: number, micros: string, id: string];

export type ListedRow = BusinessRow & { place: number; micros: string };

/** The relevances of a search, the highest first: the name is, begins with, has a word that begins with, has; the rest has. */
const ranks = [4, 3, 2, 1, 0] as const;

/** SQL of the listings of each relevance. `term` is an expression, `pattern` its text for LIKE. */
const rankConditions: Record<(typeof ranks)[number], (term: string, pattern: string) => string> = {
  4: (term) => `l.name = ${term}`,
  3: (term, pattern) => `l.name like ${pattern} || '%' and l.name <> ${term}`,
  2: (_term, pattern) => `l.name like '% ' || ${pattern} || '%' and l.name not like ${pattern} || '%'`,
  1: (_term, pattern) =>
    `l.name like '%' || ${pattern} || '%' and l.name not like ${pattern} || '%' and l.name not like '% ' || ${pattern} || '%'`,
  0: (_term, pattern) => `l.search_text like '%' || ${pattern} || '%' and l.name not like '%' || ${pattern} || '%'`,
};

type FilterSql = {
  where: string[];
  /** The expression that orders first. */
  order: string | null;
  /** A join that `order` needs. */
  join: string;
  /** From $1 on. */
  values: unknown[];
};

/** SQL of a filter. @param rank - Of a search, the listings of one relevance; null for all that match. */
function createFilterSql(filter: ListingFilter, rank: (typeof ranks)[number] | null = null): FilterSql {
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const where = [published];
  let join = "";
  if (filter.merged && filter.source === null) where.push("l.leads");
  for (const name of ["source", "kind", "category", "country"] as const) {
    const value = filter[name];
    if (value !== undefined && value !== null) where.push(`l.${name} = ${bind(value)}`);
  }
  let order: string | null = null;
  if (filter.near !== undefined) {
    const circle = createCircleSql(filter.near, bind);
    where.push(...circle.where, `(${circle.boxes.map(({ condition }) => condition).join(" or ")})`);
    join = circle.join;
    // Positions fall: the nearest first.
    order = "-d.metres";
  }
  if (filter.search !== null) {
    const term = bind(filter.search);
    if (filter.similar) {
      where.push(`l.name % ${term}::text`);
      order = `round(similarity(l.name, ${term}::text) * 1000)::bigint`;
    } else {
      const [text, pattern] = [`${term}::text`, `${bind(escapePattern(filter.search))}::text`];
      // Not every relevance needs both, and a parameter that the text does not name has no type.
      where.push(`${text} is not null and ${pattern} is not null`);
      if (rank === null) where.push(`l.search_text like '%' || ${pattern} || '%'`);
      else {
        where.push(rankConditions[rank](text, pattern));
        order = `${rank}::bigint`;
      }
    }
  }
  return { where, order, join, values };
}

type CircleSql = {
  /** Conditions of the listing `l` and its distance `d`. */
  where: string[];
  /** The parts of the index that hold the circle, and the longitude of its centre as seen from each. */
  boxes: { condition: string; lon: number }[];
  /** The join that has the distance, computed once for each listing of the boxes. */
  join: string;
};

/** SQL of the listings within a circle. */
function createCircleSql(
  { lat, lon, radiusKm }: NonNullable<ListingFilter["near"]>,
  bind: (value: unknown) => string,
): CircleSql {
  const bindDegrees = (degrees: number) => `${bind(degrees)}::float8`;
  const boxes = getBoundingBoxes({ lat, lon }, radiusKm).map(({ south, north, west, east }) => {
    // The other side of the antimeridian is a whole turn away.
    const seen = lon < west ? lon + 360 : lon > east ? lon - 360 : lon;
    // The planner takes each box for a thousandth of the table: the whole Earth is no condition.
    if (south <= -90 && north >= 90 && west <= -180 && east >= 180) return { condition: "true", lon: seen };
    const corners = [west, south, east, north].map(bindDegrees);
    const box = `box(point(${corners[0]}, ${corners[1]}), point(${corners[2]}, ${corners[3]}))`;
    return { condition: `point(l.lon, l.lat) <@ ${box}`, lon: seen };
  });
  const distance = createDistanceSql({ lat: bindDegrees(lat), lon: bindDegrees(lon) }, { lat: "l.lat", lon: "l.lon" });
  return {
    where: ["l.lat is not null", `d.metres <= ${bind(Math.round(radiusKm * 1_000))}`],
    boxes,
    join: `cross join lateral (select ${distance} as metres offset 0) d`,
  };
}

/** Text of a LIKE pattern whose `%`, `_` and `\` are literal. */
export function escapePattern(term: string): string {
  return term.replace(/[\\%_]/g, "\\$&");
}

const micros = (column: string) => `(extract(epoch from ${column}) * 1000000)::bigint`;

type ListPart = { after: ListPosition | null; limit: number };

/**
 * Lists a page: by relevance or distance where there is one, then newest first.
 *
 * A search reads one relevance after the other until the page is full. Of a term that many listings have, the database
 * walks the newest ones until it has enough of them, instead of ranking and sorting all.
 */
export async function listListings(db: Queryable, filter: ListingFilter, page: ListPart): Promise<ListedRow[]> {
  if (filter.search === null && filter.near !== undefined) {
    const radiusKm = (await findReach(db, filter, filter.near, page)) ?? filter.near.radiusKm;
    return await listPart(db, { ...filter, near: { ...filter.near, radiusKm } }, page, null);
  }
  if (filter.search === null || filter.similar) {
    return await listPart(db, filter, page, null);
  }
  const found: ListedRow[] = [];
  const lastRank = page.after === null ? null : Number(page.after[0]);
  for (const rank of ranks) {
    if (lastRank !== null && rank > lastRank) continue;
    const after = rank === lastRank ? page.after : null;
    found.push(...(await listPart(db, filter, { after, limit: page.limit - found.length }, rank)));
    if (found.length === page.limit) break;
  }
  return found;
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
    const [rank, time, id] = page.after;
    const at = `timestamptz 'epoch' + ${bind(time)}::bigint * interval '1 microsecond'`;
    const last = `${at}, ${bind(id)}::text collate "C"`;
    where.push(
      order === null || searchRank !== null
        ? `(l.created_at, l.id) < (${last})`
        : `(${order}, l.created_at, l.id) < (${bind(rank)}::bigint, ${last})`,
    );
  }
  const place = order ?? "0::bigint";
  const isOrdered = order === null || searchRank !== null;
  const sorted = `${isOrdered ? "" : "place desc, "}l.created_at desc, l.id desc`;
  const { rows } = await db.query<ListedRow>(
    `select ${columns}, ${filter.merged ? `${alsoOn},` : ""} l.place, ${micros("l.created_at")}::text as micros
     from (
       select l.*, ${place} as place from app.listings l ${join} where ${where.join(" and ")}
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
