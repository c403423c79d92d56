import { maxCountedMatches } from "@slipway/protocol/maxCountedMatches";
import type { Queryable } from "../../db/database.ts";
import { createSearchPattern } from "./queries.ts";

/** A place in an order: the last item's value and the number or address that orders equal ones; both decimal or text. */
export type GalleryPlace = readonly [value: string, tie: string];

/** An order of the gallery, as one range of an index. */
export type GalleryOrder = {
  /** Its rows, in the order. $1 and $2: after which place; $3: how many. */
  sql: string;
  /** Before its first row. */
  start: GalleryPlace;
  /** The column of its rows `s` that names the token, by which a search selects them. */
  key: keyof typeof searchKeys;
  /** The bound of a random order's part; null for the others. */
  bound?: number;
};

/** Of each column that names a token: the condition of the tokens of a list, and of those whose text has a pattern. */
const searchKeys = {
  id: {
    listed: (list: string) => `s.id = any(${list}::integer[])`,
    like: (pattern: string) => `s.search_text like ${pattern}`,
  },
  token_id: {
    listed: (list: string) => `s.token_id = any(${list}::integer[])`,
    like: (pattern: string) =>
      `exists (select from chain.tokens where id = s.token_id and search_text like ${pattern})`,
  },
  token: {
    listed: (list: string) => `s.token = any(${list}::text[])`,
    like: (pattern: string) =>
      `exists (select from chain.tokens where address = s.token and search_text like ${pattern})`,
  },
} as const;

const largestId = "2147483647";

/** The rows of `chain.token_state` in the order of a column's index. */
const byState = (column: string, order: string, type: string) => `
  select t.address, s.${column}::text as value, s.token_id::text as tie, s.place
  from (
    select token_id, ${column}, row_number() over (order by ${column} ${order}, token_id desc) as place
    from chain.token_state s
    where (${column}, token_id) < ($1::${type}, $2::integer) {search}
    order by ${column} ${order}, token_id desc limit $3
  ) s
  cross join lateral (select address from chain.tokens where id = s.token_id limit 1) t`;

const withoutVolume = `
  select t.address, $1::text as value, s.token_id::text as tie, s.place
  from (
    select token_id, row_number() over (order by token_id desc) as place from chain.token_state s
    where volume_24h_usd is null and token_id < $2::integer {search}
    order by volume_24h_usd desc nulls last, token_id desc limit $3
  ) s
  cross join lateral (select address from chain.tokens where id = s.token_id limit 1) t`;

const byAge = `
  select address, block_number::text as value, log_index::text as tie,
    row_number() over (order by block_number desc, log_index desc) as place
  from chain.tokens s
  where (block_number, log_index) < ($1::bigint, $2::integer) {search}
  order by block_number desc, log_index desc limit $3`;

const upwards = `
  select s.token as address, s.position::text as value, s.token as tie, s.sha256,
    row_number() over (order by position, token) as place
  from app.gallery s
  where shown and (position, token) > ($1::integer, $2::text) and position < $4::bigint {search}
  order by position, token limit $3`;
const downwards = `
  select s.token as address, s.position::text as value, s.token as tie, s.sha256,
    row_number() over (order by position desc, token desc) as place
  from app.gallery s
  where shown and (position, token) < ($1::integer, $2::text) and position >= $4::bigint {search}
  order by position desc, token desc limit $3`;

const smallest = -(2 ** 31);
const largest = 2 ** 31 - 1;
/** After every address. */
const afterAll = "z";

/** The parts of each order, one after the other. */
export const galleryOrders = {
  new: [{ sql: byAge, start: ["9223372036854775807", largestId], key: "id" }],
  volume: [
    { sql: byState("volume_24h_usd", "desc nulls last", "numeric"), start: ["infinity", largestId], key: "token_id" },
    // What no USD value is known of comes last.
    { sql: withoutVolume, start: ["", largestId], key: "token_id" },
  ],
  volume_quote: [
    { sql: byState("volume_24h_quote", "desc", "numeric"), start: ["infinity", largestId], key: "token_id" },
  ],
  market_cap: [{ sql: byState("market_cap", "desc", "float8"), start: ["infinity", largestId], key: "token_id" }],
} as const satisfies Record<string, readonly GalleryOrder[]>;

/**
 * A permutation of the gallery. Stored positions are one order of all its rows; this is that order, or its reverse, from a
 * point to its end and then from its beginning to the point. The two parts have no row in common and leave none out,
 * so that each row comes once whatever the point. Rows with one position are on the same side of the point.
 */
export function createRandomOrder(point: number, isUpwards: boolean): GalleryOrder[] {
  return isUpwards
    ? [
        { sql: upwards, start: [String(point), ""], key: "token", bound: largest + 1 },
        { sql: upwards, start: [String(smallest), ""], key: "token", bound: point },
      ]
    : [
        { sql: downwards, start: [String(point), ""], key: "token", bound: smallest },
        { sql: downwards, start: [String(largest), afterAll], key: "token", bound: point },
      ];
}

/** A token that a page examines; `sha256` is null when it has no picture to show. */
export type GalleryCandidate = { address: string; value: string; tie: string; sha256: string | null };

/** Of a candidate of an order of tokens: its picture. Of a launch that a reorganisation removed the picture stays. */
const pictureOfToken = `
      left join lateral (select sha256 from app.gallery where token = f.address and shown limit 1) g on true
      left join lateral (select address from chain.tokens where address = f.address limit 1) t on true`;

/** Reads the next tokens of an order, with their pictures; at most `limit`. */
export async function listGalleryCandidates(
  db: Queryable,
  order: GalleryOrder,
  page: { after: GalleryPlace; limit: number; search: GallerySearch | null },
): Promise<GalleryCandidate[]> {
  const values: unknown[] = [...page.after, page.limit, ...(order.bound === undefined ? [] : [order.bound])];
  const bind = (value: unknown) => `$${values.push(value)}`;
  let search = "";
  if (page.search !== null) {
    const { pattern, pictures } = page.search;
    const { listed, like } = searchKeys[order.key];
    const of = order.key === "token" ? "addresses" : "ids";
    search = `and ${pictures === null ? like(bind(pattern)) : listed(bind(pictures[of]))}`;
  }
  const ofGallery = order.key === "token";
  const { rows } = await db.query<GalleryCandidate>({
    text: `
      with found as materialized (${order.sql.replace("{search}", search)})
      select f.address, f.value, f.tie,
        ${ofGallery ? "encode(f.sha256, 'hex')" : "case when t.address is not null then encode(g.sha256, 'hex') end"} as sha256
      from found f ${ofGallery ? "" : pictureOfToken}
      order by f.place`,
    values,
  });
  return rows;
}

/** A picture with its token. Numeric columns are decimal text. */
export type GalleryRow = {
  address: string;
  name: string;
  symbol: string;
  block_time: number;
  price: number;
  market_cap: number;
  volume_24h_usd: string | null;
  changed_block: number;
  changed_time: number;
  sha256: string;
  width: number;
  height: number;
  animated: boolean;
  blurhash: string;
  dominant_color: string;
};

/**
 * Reads pictures with their tokens, in this order. One that is blocked since, and a launch that a reorganisation removed, are
 * left out.
 */
export async function readGalleryRows(
  db: Queryable,
  pictures: readonly { address: string; sha256: string | null }[],
): Promise<GalleryRow[]> {
  const { rows } = await db.query<GalleryRow>({
    name: "gallery-rows",
    text: `
      select t.address, t.name, t.symbol, t.block_time, s.price, s.market_cap, s.volume_24h_usd, s.changed_block,
        s.changed_time, p.sha256, i.width, i.height, i.animated, i.blurhash, i.dominant_color
      from unnest($1::text[], $2::text[]) with ordinality p (address, sha256, place)
      cross join lateral (select * from chain.tokens where address = p.address limit 1) t
      cross join lateral (select * from chain.token_state where token_id = t.id limit 1) s
      cross join lateral (
        select * from app.images where sha256 = decode(p.sha256, 'hex') and blocked_at is null limit 1
      ) i
      order by p.place`,
    values: [pictures.map(({ address }) => address), pictures.map(({ sha256 }) => sha256)],
  });
  return rows;
}

/** How many pictures are shown. */
export async function countGallery(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ total: number }>(
    "select coalesce((select shown from app.gallery_total where only_row), 0) as total",
  );
  return rows[0]!.total;
}

/** Matches up to which a search is a list of tokens; of more, the index of an order is read until a page is full. */
const maxListed = maxCountedMatches;

export type GallerySearch = {
  /** Of a token's search text, for LIKE. */
  pattern: string;
  /** The tokens with a picture that match; null where more tokens match than are listed. */
  pictures: { ids: number[]; addresses: string[] } | null;
  /** Pictures that match, `maxCountedMatches` at most. */
  total: number;
};

/** Finds what a search selects, once for the page and its total. */
export async function searchGallery(db: Queryable, text: string): Promise<GallerySearch> {
  const pattern = createSearchPattern(text);
  const { rows } = await db.query<{ matched: number; ids: number[]; addresses: string[] }>(
    // Planned for all matches, and read until there are enough.
    `with matches as materialized (select id, address from chain.tokens where search_text like $1),
       enough as materialized (select * from matches limit ${maxListed + 1})
     select (select count(*) from enough) as matched, coalesce(array_agg(m.id), '{}') as ids,
       coalesce(array_agg(m.address), '{}') as addresses
     from enough m where exists (select from app.gallery g where g.token = m.address and g.shown)`,
    [pattern],
  );
  const { matched, ids, addresses } = rows[0]!;
  if (matched <= maxListed) return { pattern, pictures: { ids, addresses }, total: ids.length };
  const isEnough = ids.length >= maxCountedMatches;
  return { pattern, pictures: null, total: isEnough ? maxCountedMatches : await countMatches(db, pattern) };
}

async function countMatches(db: Queryable, pattern: string): Promise<number> {
  const { rows } = await db.query<{ total: number }>(
    `with matches as materialized (select address from chain.tokens where search_text like $1),
       shown as materialized (
         select from matches m where exists (select from app.gallery g where g.token = m.address and g.shown)
         limit ${maxCountedMatches}
       )
     select count(*) as total from shown`,
    [pattern],
  );
  return rows[0]!.total;
}
