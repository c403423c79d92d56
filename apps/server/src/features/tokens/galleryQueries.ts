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
  /** The bound of a random order's part; null for the others. */
  bound?: number;
};

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
  select s.token as address, s.position::text as value, s.token as tie,
    row_number() over (order by position, token) as place
  from app.gallery s
  where shown and (position, token) > ($1::integer, $2::text) and position < $4::bigint {search}
  order by position, token limit $3`;
const downwards = `
  select s.token as address, s.position::text as value, s.token as tie,
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
  new: [{ sql: byAge, start: ["9223372036854775807", largestId] }],
  volume: [
    { sql: byState("volume_24h_usd", "desc nulls last", "numeric"), start: ["infinity", largestId] },
    // What no USD value is known of comes last.
    { sql: withoutVolume, start: ["", largestId] },
  ],
  volume_quote: [{ sql: byState("volume_24h_quote", "desc", "numeric"), start: ["infinity", largestId] }],
  market_cap: [{ sql: byState("market_cap", "desc", "float8"), start: ["infinity", largestId] }],
} as const satisfies Record<string, readonly GalleryOrder[]>;

/**
 * A permutation of the gallery. Stored positions are one order of all its rows; this is that order, or its reverse, from a
 * point to its end and then from its beginning to the point. The two parts have no row in common and leave none out,
 * so that each row comes once whatever the point. Rows with one position are on the same side of the point.
 */
export function createRandomOrder(point: number, isUpwards: boolean): GalleryOrder[] {
  return isUpwards
    ? [
        { sql: upwards, start: [String(point), ""], bound: largest + 1 },
        { sql: upwards, start: [String(smallest), ""], bound: point },
      ]
    : [
        { sql: downwards, start: [String(point), ""], bound: smallest },
        { sql: downwards, start: [String(largest), afterAll], bound: point },
      ];
}

/** A token that a page examines; `sha256` is null when it has no picture to show. */
export type GalleryCandidate = { address: string; value: string; tie: string; sha256: string | null };

/** Reads the next tokens of an order, with their pictures; at most `limit`. */
export async function listGalleryCandidates(
  db: Queryable,
  order: GalleryOrder,
  page: { after: GalleryPlace; limit: number; search: string | null },
): Promise<GalleryCandidate[]> {
  const values: unknown[] = [...page.after, page.limit, ...(order.bound === undefined ? [] : [order.bound])];
  let search = "";
  let matches = "";
  if (page.search !== null) {
    values.push(createSearchPattern(page.search));
    matches = `matches as materialized (select id, address from chain.tokens where search_text like $${values.length}),`;
    const [column, key] =
      order.bound !== undefined ? ["token", "address"] : order.sql === byAge ? ["id", "id"] : ["token_id", "id"];
    search = `and s.${column} = any(array(select ${key} from matches))`;
  }
  const { rows } = await db.query<GalleryCandidate>({
    text: `
      with ${matches} found as materialized (${order.sql.replace("{search}", search)})
      select f.address, f.value, f.tie,
        -- Of a launch that a reorganisation removed the picture stays.
        case when t.address is not null then encode(g.sha256, 'hex') end as sha256
      from found f
      left join lateral (select sha256 from app.gallery where token = f.address and shown limit 1) g on true
      left join lateral (select address from chain.tokens where address = f.address limit 1) t on true
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

/** Reads pictures with their tokens, in the order of the addresses; one that is blocked since is left out. */
export async function readGalleryRows(db: Queryable, addresses: readonly string[]): Promise<GalleryRow[]> {
  const { rows } = await db.query<GalleryRow>({
    name: "gallery-rows",
    text: `
      select t.address, t.name, t.symbol, t.block_time, s.price, s.market_cap, s.volume_24h_usd, s.changed_block,
        s.changed_time, encode(i.sha256, 'hex') as sha256, i.width, i.height, i.animated, i.blurhash, i.dominant_color
      from unnest($1::text[]) with ordinality p (address, place)
      cross join lateral (select * from chain.tokens where address = p.address limit 1) t
      cross join lateral (select * from chain.token_state where token_id = t.id limit 1) s
      cross join lateral (select sha256 from app.gallery where token = p.address and shown limit 1) g
      cross join lateral (select * from app.images where sha256 = g.sha256 and blocked_at is null limit 1) i
      order by p.place`,
    values: [addresses],
  });
  return rows;
}

/** How many pictures are shown, or of them match a search. */
export async function countGallery(db: Queryable, search: string | null): Promise<number> {
  const { rows } = await db.query<{ total: number }>(
    search === null
      ? "select coalesce((select shown from app.gallery_total where only_row), 0) as total"
      : {
          text: `
            with matches as materialized (select address from chain.tokens where search_text like $1)
            select count(*) as total from app.gallery g where g.shown and g.token = any(array(select address from matches))`,
          values: [createSearchPattern(search)],
        },
  );
  return rows[0]!.total;
}
