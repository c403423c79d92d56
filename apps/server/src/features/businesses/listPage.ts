import type { Business } from "@slipway/protocol/businesses";
import { SlipwayError } from "@slipway/protocol/errors";
import type { Queryable } from "../../db/database.ts";
import type { SignedCursors } from "../../db/signedCursors.ts";
import type { ListedRow, ListingFilter, ListPosition } from "./listingSql.ts";
import { hasTrigrams, listListings } from "./queries.ts";
import { toBusiness } from "./toBusiness.ts";

/** Reads the rows of a filter after a position, in the list's order; at most `limit`. */
export type ReadRows = (
  filter: ListingFilter,
  page: { after: ListPosition | null; limit: number },
) => Promise<ListedRow[]>;

type Request = {
  filter: ListingFilter;
  limit: number;
  cursor: string | undefined;
};

/** A page and the filter that selected it: similar names are searched only if no listing contains the text. */
export type ListPage = { items: Business[]; nextCursor: string | null; filter: ListingFilter };

/**
 * Reads a page of listings. The cursor identifies the last item and is valid for its query with any limit. Pages
 * neither repeat nor omit a listing that was published when the first page was read and has not changed since.
 *
 * @throws SlipwayError `invalid_query` for a cursor of another query or an invalid cursor.
 */
export async function readListPage(
  db: Queryable,
  cursors: SignedCursors,
  request: Request,
  mediaUrl: string | null,
  readRows: ReadRows = (filter, page) => listListings(db, filter, page),
): Promise<ListPage> {
  const { limit, cursor } = request;
  const after = cursor === undefined ? null : await cursors.open(request.filter, cursor);
  if (cursor !== undefined && after === null) {
    throw new SlipwayError("invalid_query", "cursor must be next_cursor of a page of this query.", { field: "cursor" });
  }
  let filter: ListingFilter = { ...request.filter, similar: after?.[3] === "similar" };
  const position = after === null ? null : (after.slice(0, 3) as ListPosition);
  let rows = await readRows(filter, { after: position, limit: limit + 1 });
  if (rows.length === 0 && after === null && filter.search !== null && (await mayBeSimilar(db, filter.search))) {
    filter = { ...filter, similar: true };
    rows = await readRows(filter, { after: null, limit: limit + 1 });
  }
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.map((row) => toBusiness(row, mediaUrl)),
    nextCursor:
      rows.length > limit && last !== undefined
        ? await cursors.seal(request.filter, [
            ...[last.place, last.micros, last.id],
            filter.similar ? "similar" : "contains",
          ])
        : null,
    filter,
  };
}

/** Maximum length of a search for similar names; longer texts are not mistyped names and cost more to compare. */
const maxSimilarLength = 48;

async function mayBeSimilar(db: Queryable, search: string): Promise<boolean> {
  const length = [...search].length;
  return length >= 3 && length <= maxSimilarLength && (await hasTrigrams(db));
}

/** Normalizes a search text like the search texts of listings; returns null for an empty text. */
export function toSearch(q: string | undefined): string | null {
  const search = (q ?? "").normalize("NFC").trim().toLowerCase();
  return search === "" ? null : search;
}
