import type { ListingSource } from "@slipway/protocol/businesses";
import { escapePattern } from "../../db/textSearch.ts";
import { createDistanceSql, getBoundingBoxes, type Place } from "./geography.ts";
import type { BusinessRow } from "./toBusiness.ts";

/** SQL: whether the account of the listing `l` has proven the handle in one of the listing's links. */
const createProvenLinkSql = (link: "x" | "github", provider: "social" | "code_host") =>
  `(l.account_id is not null and exists (
    select from app.identities i
    join app.provider_handles h on h.provider_id = i.provider_id and h.account_id = i.account_id
    where i.user_id = l.account_id and i.provider_id = '${provider}'
      and lower(h.handle) = lower(split_part(l.listing #>> '{links,${link}}', '/', 4))))`;

/** SQL of the proven links of the listing `l`. No account can prove the handles of other links. */
const provenLinks = `json_build_object(
  'x', ${createProvenLinkSql("x", "social")},
  'github', ${createProvenLinkSql("github", "code_host")})`;

/** SQL: whether the website of the listing `l` is verified. */
const websiteVerified = "exists (select from app.website_proofs p where p.listing_id = l.id and p.status = 'verified')";

/** SQL of the columns of a BusinessRow, for the listing `l`. */
export const columns = `l.id, l.source, l.listing, l.created_at, l.updated_at,
  (select s.fetched_at from app.listing_sources s where s.source = l.source and l.source <> 'own') as fetched_at,
  ${websiteVerified} as website_verified,
  ${provenLinks} as proven_links,
  (select json_build_object('sha256', encode(i.sha256, 'hex'), 'width', i.width, 'height', i.height,
      'animated', i.animated, 'blurhash', i.blurhash, 'dominant_color', i.dominant_color,
      'blocked', i.blocked_at is not null)
    from app.images i where i.sha256 = l.image_sha256 or i.cid = l.image_cid limit 1) as image`;

/**
 * SQL of the other listings of the same business, and of the same token of an earlier deployment. An own listing has
 * such listings only while its website is verified; the column `leads` follows the same rule.
 */
export const alsoOn = `coalesce((
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
      -- Other merge keys have no token.
      where l.merge_key like 'token:%'
    ) o), '[]') as also_on`;

export const published = "l.blocked_at is null";

/** The filter of a list. */
export type ListingFilter = {
  /** The list's name; a list refuses cursors of other lists. */
  list: string;
  source: ListingSource | null;
  kind?: string | undefined;
  category?: string | undefined;
  country?: string | undefined;
  near?: (Place & { radiusKm: number }) | undefined;
  /** Lower case. */
  search: string | null;
  /** Whether no index finds the search text. */
  isScanned?: boolean;
  /** Whether to search similar names instead of texts that contain the search. */
  similar?: boolean;
  /** Whether to list one listing per business, as the directory does. */
  merged?: boolean;
};

/** Position of a row in its list: relevance or negative distance (else 0), microseconds since the epoch, id. */
export type ListPosition = [rank: number, micros: string, id: string];

export type ListedRow = BusinessRow & { place: number; micros: string };

/**
 * The relevances of a search, highest first: the name equals the text, begins with the text, has a word that begins
 * with the text, contains the text; only the listing's other texts contain the text.
 */
export const ranks = [4, 3, 2, 1, 0] as const;

/** SQL conditions of each relevance. `term` is an expression, `pattern` the same text escaped for LIKE. */
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
  /** The first sort expression. */
  order: string | null;
  /** The join that `order` needs. */
  join: string;
  /** The parameters from $1 on. */
  values: unknown[];
};

/** Creates the SQL expression of a matching listing's relevance. */
export function createRankSql(term: string, pattern: string): string {
  const cases = ranks.slice(0, -1).map((rank) => `when ${rankConditions[rank](term, pattern)} then ${rank}`);
  return `(case ${cases.join(" ")} else 0 end)::bigint`;
}

/** Creates the SQL of a filter. @param rank - Selects the matches of one relevance; null selects all matches. */
export function createFilterSql(filter: ListingFilter, rank: (typeof ranks)[number] | null = null): FilterSql {
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
    // Lists sort positions in descending order, so the nearest listing comes first.
    order = "-d.metres";
  }
  if (filter.search !== null) {
    const term = bind(filter.search);
    if (filter.similar) {
      where.push(`l.name % ${term}::text`);
      order = `round(similarity(l.name, ${term}::text) * 1000)::bigint`;
    } else {
      const [text, pattern] = [`${term}::text`, `${bind(escapePattern(filter.search))}::text`];
      // Names both parameters, because some relevances need only one, and an unused parameter has no type.
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
  /** The boxes that contain the circle, each with the centre's longitude relative to the box. */
  boxes: { condition: string; lon: number }[];
  /** The join that computes the distance once for each listing of the boxes. */
  join: string;
};

/** Creates the SQL of the listings within a circle. */
export function createCircleSql(
  { lat, lon, radiusKm }: NonNullable<ListingFilter["near"]>,
  bind: (value: unknown) => string,
): CircleSql {
  const bindDegrees = (degrees: number) => `${bind(degrees)}::float8`;
  const boxes = getBoundingBoxes({ lat, lon }, radiusKm).map(({ south, north, west, east }) => {
    // Beyond the antimeridian, longitudes differ by a whole turn.
    const seen = lon < west ? lon + 360 : lon > east ? lon - 360 : lon;
    // The whole Earth has no condition, because the planner estimates a thousandth of the table for each box.
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

export const micros = (column: string) => `(extract(epoch from ${column}) * 1000000)::bigint`;
