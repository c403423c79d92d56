import { createHash } from "node:crypto";
import { SlipwayError } from "@slipway/protocol/errors";
import type { Gallery } from "@slipway/protocol/gallery";
import type { OfficialAssets } from "@slipway/protocol/officialAssets";
import type { ReadContext } from "../../cache/createReadModel.ts";
import type { Queryable } from "../../db/database.ts";
import type { SignedCursors } from "../../db/signedCursors.ts";
import type { TextSearch } from "../../db/textSearch.ts";
import { finiteOrNull, toChecksumAddress, toDollars, toIsoTime } from "../../pricing/format.ts";
import { createNameWarning } from "../../transactions/resemblanceWarnings.ts";
import {
  countGallery,
  createRandomOrder,
  type GalleryOrder,
  type GalleryPlace,
  type GalleryRow,
  galleryOrders,
  listGalleryItems,
  searchGallery,
} from "./galleryQueries.ts";
import { getLastChange } from "./toIndexedToken.ts";
import { toTokenImage } from "./toTokenImage.ts";

/** The query of a gallery. A cursor is valid for one query, with any limit. */
export type GalleryQuery = {
  sort: keyof typeof galleryOrders | "random";
  search: string | null;
  /** For the order `random`; null: any. */
  seed: number | null;
};

/** The start of a page: a part of the order, and the place after which the page begins. */
type GalleryPosition = { part: number; place: GalleryPlace };

/**
 * Opens a cursor.
 *
 * @returns The position, and the seed of a random order.
 * @throws SlipwayError `invalid_query` for an invalid cursor or a cursor of another query.
 */
export async function openGalleryCursor(
  cursors: SignedCursors,
  { sort, search, seed }: GalleryQuery,
  cursor: string,
): Promise<GalleryPosition & { seed: number | null }> {
  const opened = await cursors.open(["gallery", sort, search], cursor);
  const sealed = opened === null ? null : ((opened[3] as number | undefined) ?? null);
  if (opened === null || (seed !== null && sealed !== null && seed !== sealed)) {
    throw new SlipwayError("invalid_query", "cursor must be next_cursor of a page of this query.", { field: "cursor" });
  }
  return { part: Number(opened[0]), place: [String(opened[1]), String(opened[2])], seed: sealed };
}

/**
 * Reads a page. Its cursor contains the place of the last item, so later pages neither repeat nor omit a picture whose
 * place has not changed. Launches and blocks do not change the places of other pictures.
 *
 * @param request.from - Null: the first page.
 * @param request.freshSeed - The seed of a random order if the query has none.
 * @throws SlipwayError `provider_unavailable` if no public URL of pictures is configured.
 */
export async function readGalleryPage(
  db: Queryable,
  cursors: SignedCursors,
  request: { query: GalleryQuery; from: GalleryPosition | null; limit: number; freshSeed: number },
  { mediaUrl, official, readContext }: { mediaUrl: string | null; official: OfficialAssets; readContext: ReadContext },
): Promise<Gallery> {
  const { query, from, limit } = request;
  const { sort } = query;
  const seed = sort === "random" ? (query.seed ?? request.freshSeed) : null;
  const parts: readonly GalleryOrder[] = sort === "random" ? orderBySeed(seed!) : galleryOrders[sort];
  const search = query.search === null ? null : await searchGallery(db, query.search);
  const { rows, next } = await readItems(db, parts, { from, limit, search });
  if (mediaUrl === null && rows.length > 0) {
    throw new SlipwayError("provider_unavailable", "The gallery needs SITE_URL or MEDIA_PUBLIC_URL.");
  }
  return {
    items: rows.map((row) => toGalleryItem(row, { mediaUrl: mediaUrl!, official, readContext })),
    next_cursor:
      next === null
        ? null
        : await cursors.seal(
            ["gallery", sort, query.search],
            [next.part, ...next.place, ...(seed === null ? [] : [seed])],
          ),
    total: search?.total ?? (await countGallery(db)),
    as_of: getLastChange(rows, readContext),
    ...(seed !== null && { seed }),
  };
}

/** Creates the order of a seed. The hash gives consecutive seeds unrelated start points. */
function orderBySeed(seed: number): GalleryOrder[] {
  const digest = createHash("sha256").update(`gallery ${seed}`).digest();
  return createRandomOrder(digest.readInt32BE(0), digest[4]! % 2 === 0);
}

/** Reads the items of a page, and the start of the next page. */
async function readItems(
  db: Queryable,
  parts: readonly GalleryOrder[],
  { from, limit, search }: { from: GalleryPosition | null; limit: number; search: TextSearch | null },
): Promise<{ rows: GalleryRow[]; next: GalleryPosition | null }> {
  const found: { row: GalleryRow; part: number }[] = [];
  const toPage = (next: GalleryPosition | null) => ({ rows: found.slice(0, limit).map(({ row }) => row), next });
  for (let part = from?.part ?? 0; part < parts.length; part++) {
    const after = part === from?.part ? from.place : parts[part]!.start;
    // One more row shows whether a next page exists.
    const { rows, end } = await listGalleryItems(db, parts[part]!, { after, limit: limit + 1 - found.length, search });
    found.push(...rows.map((row) => ({ row, part })));
    if (found.length > limit) {
      const last = found[limit - 1]!;
      return toPage({ part: last.part, place: [last.row.value, last.row.tie] });
    }
    if (end !== null) return toPage({ part, place: end });
  }
  return toPage(null);
}

function toGalleryItem(
  row: GalleryRow,
  context: { mediaUrl: string; official: OfficialAssets; readContext: ReadContext },
): Gallery["items"][number] {
  const { ethUsd } = context.readContext;
  const inUsd = (native: number) => (ethUsd === null ? null : finiteOrNull(native * ethUsd.price));
  return {
    token: {
      address: toChecksumAddress(row.address),
      name: row.name,
      symbol: row.symbol,
      name_warning: createNameWarning(row, context.official)?.message ?? null,
      price_usd: inUsd(row.price),
      market_cap_usd: inUsd(row.market_cap),
      volume_24h_usd: toDollars(row.volume_24h_usd),
      launched_at: toIsoTime(row.block_time),
    },
    image: toTokenImage(row, context.mediaUrl),
  };
}
