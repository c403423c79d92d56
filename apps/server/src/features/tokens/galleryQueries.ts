import type { Queryable } from "../../db/database.ts";
import { searchTokenTexts, type TextSearch } from "../../db/textSearch.ts";
import { selectResembled } from "../../transactions/resemblanceQueries.ts";

/** A place in an order: an item's value, and the number or address that orders equal values; decimals or text. */
export type GalleryPlace = readonly [value: string, tie: string];

/** An order of the gallery, as one range of an index. */
export type GalleryOrder = {
  /** The table of the index: the state `s` of all tokens, or only the pictures `g`. */
  of: "state" | "items";
  /** SQL condition of the rows after a place, $1 and $2. */
  after: string;
  /** SQL of the sort order. */
  sorted: string;
  /** SQL of a row's place. */
  place: { value: string; tie: string };
  /** The place before the first row. */
  start: GalleryPlace;
};

const largestId = "2147483647";

/** Creates the order of `chain.token_state` by the index of a column. */
const byState = (column: string, order: string, type: string): GalleryOrder => ({
  of: "state",
  after: `(s.${column}, s.token_id) < ($1::${type}, $2::integer)`,
  sorted: `s.${column} ${order}, s.token_id desc`,
  place: { value: `s.${column}::text`, tie: "s.token_id::text" },
  start: ["infinity", largestId],
});

const withoutVolume: GalleryOrder = {
  of: "state",
  after: "s.volume_24h_usd is null and s.token_id < $2::integer",
  sorted: "s.volume_24h_usd desc nulls last, s.token_id desc",
  place: { value: "$1::text", tie: "s.token_id::text" },
  start: ["", largestId],
};

const byAge: GalleryOrder = {
  of: "items",
  after: "(g.block_number, g.log_index) < ($1::bigint, $2::integer)",
  sorted: "g.block_number desc, g.log_index desc",
  place: { value: "g.block_number::text", tie: "g.log_index::text" },
  start: ["9223372036854775807", largestId],
};

/** The parts of each order, one after the other. */
export const galleryOrders = {
  new: [byAge],
  // Tokens without a known USD volume come last.
  volume: [byState("volume_24h_usd", "desc nulls last", "numeric"), withoutVolume],
  volume_quote: [byState("volume_24h_quote", "desc", "numeric")],
  market_cap: [byState("market_cap", "desc", "float8")],
} as const satisfies Record<string, readonly GalleryOrder[]>;

const smallest = -(2 ** 31);
const largest = 2 ** 31 - 1;
/** Sorts after every address. */
const afterAll = "z";

/**
 * Creates a permutation of the gallery: the order of the stored positions, or its reverse, from a point to the end and
 * then from the beginning to the point. The two parts are disjoint and cover all rows, so each row comes once for any
 * point. Rows with equal positions are on the same side of the point.
 */
export function createRandomOrder(point: number, isUpwards: boolean): GalleryOrder[] {
  const createPart = (start: GalleryPlace, bound: number | null): GalleryOrder => ({
    of: "items",
    after:
      `(g.position, g.token) ${isUpwards ? ">" : "<"} ($1::integer, $2::text)` +
      (bound === null ? "" : ` and g.position ${isUpwards ? "<" : ">="} ${bound}`),
    sorted: isUpwards ? "g.position, g.token" : "g.position desc, g.token desc",
    place: { value: "g.position::text", tie: "g.token" },
    start,
  });
  return isUpwards
    ? [createPart([String(point), ""], null), createPart([String(smallest), ""], point)]
    : [createPart([String(point), ""], null), createPart([String(largest), afterAll], point)];
}

/** A picture with its token, and its place in the order. Numeric columns are decimal text. */
export type GalleryRow = {
  address: string;
  name: string;
  symbol: string;
  resembles: string | null;
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
  value: string;
  tie: string;
};

/** The columns of a GalleryRow except its place. */
const columns = `g.token as address, g.name, g.symbol, ${selectResembled("g.token")} as resembles, g.block_time, s.price,
  s.market_cap, s.volume_24h_usd, s.changed_block, s.changed_time, encode(g.sha256, 'hex') as sha256, g.width, g.height, g.animated, g.blurhash, g.dominant_color`;

/** Maximum rows of all tokens that one page examines: if few tokens have a picture, the page is short. */
const maxExamined = 4_000;
/** Maximum rows that one page examines for a text with too many matches to list. */
const maxExaminedForText = 10_000;

/**
 * Reads the next pictures of an order, at most `limit`.
 *
 * @returns Fewer than `limit` rows at the end of the order, or after the maximum of examined rows; `end` is then the
 *   place of the last examined row.
 */
export async function listGalleryItems(
  db: Queryable,
  order: GalleryOrder,
  page: { after: GalleryPlace; limit: number; search: TextSearch | null },
): Promise<{ rows: GalleryRow[]; end: GalleryPlace | null }> {
  const { sorted, place } = order;
  const ids = page.search?.ids ?? null;
  if (page.search?.total === 0) return { rows: [], end: null };
  const values: unknown[] = [...page.after];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const [source, row] = order.of === "state" ? ["chain.token_state", "s"] : ["app.gallery_items", "g"];
  const isOneOf = ids === null ? "" : `and ${row}.token_id = any(${bind(ids)}::integer[])`;
  const text = ids === null ? (page.search?.pattern ?? null) : null;
  // Every examined row is a picture of the page.
  const isWhole = order.of === "items" && text === null;
  const examinedRows = isWhole || ids !== null ? "all" : text === null ? maxExamined : maxExaminedForText;
  const examined = `select ${row}.* from ${source} ${row} where ${order.after} ${isOneOf}
    order by ${sorted} limit ${isWhole ? bind(page.limit) : examinedRows}`;
  const last = values.length;
  const matching = text === null ? "true" : `g.search_text like ${bind(text)}`;
  // The limit ends the scan as soon as the page is full.
  const read =
    order.of === "items"
      ? `(select * from (${examined}) g where ${matching} order by ${sorted} limit ${bind(page.limit)}) g
         cross join lateral (select * from chain.token_state where token_id = g.token_id limit 1) s`
      : `(${examined}) s
         cross join lateral (select * from app.gallery_items g where token_id = s.token_id and ${matching} limit 1) g`;
  const { rows } = await db.query<GalleryRow>(
    `select ${columns}, ${place.value} as value, ${place.tie} as tie from ${read} order by ${sorted} limit ${bind(page.limit)}`,
    values,
  );
  if (rows.length === page.limit || examinedRows === "all") return { rows, end: null };
  const end = await db.query<{ value: string; tie: string }>(
    `select ${place.value} as value, ${place.tie} as tie from (${examined}) ${row} order by ${sorted} offset ${examinedRows - 1}`,
    values.slice(0, last),
  );
  return { rows, end: end.rows[0] === undefined ? null : [end.rows[0].value, end.rows[0].tie] };
}

/** Returns the number of shown pictures. */
export async function countGallery(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ total: number }>(
    "select coalesce((select shown from app.gallery_total where only_row), 0) as total",
  );
  return rows[0]!.total;
}

/** Finds the tokens that a search selects, once for the page and its total. */
export async function searchGallery(db: Queryable, text: string): Promise<TextSearch> {
  const pictures = { table: "app.gallery_items", id: "token_id", newest: "block_number desc, log_index desc" };
  return await searchTokenTexts(db, pictures, text);
}
