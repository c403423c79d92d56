import { gallery, galleryQuery } from "@slipway/protocol/gallery";
import { createSignedCursors } from "../../db/signedCursors.ts";
import type { Deps } from "../../deps.ts";
import { getMediaUrl } from "../../imageSettings.ts";
import { publicRoute, type Route } from "../../route.ts";
import { type GalleryQuery, openGalleryCursor, readGalleryPage } from "./galleryPage.ts";

/** The gallery: processed pictures of launched tokens. */
export function galleryRoutes(deps: Deps): Route[] {
  const cursors = createSignedCursors(deps.db.api, deps.ids);
  const mediaUrl = getMediaUrl(deps.config);

  return [
    publicRoute({
      method: "GET",
      path: "/gallery",
      name: "getGallery",
      tag: "Tokens",
      summary: "List the pictures of tokens",
      description:
        "Processed pictures of launched tokens, from the database alone. A page neither repeats nor omits a picture that was " +
        "there when the first one was read, whatever is launched meanwhile; by `volume` and `market_cap`, trades move " +
        "pictures. Where few tokens have a picture a page can be shorter than `limit` and have a `next_cursor`. `random` " +
        "shows every picture once, in the order of `seed`, which the answer names. `q` must be contained in name, symbol " +
        "or address.",
      schemas: { query: galleryQuery },
      answers: { 200: { description: "The pictures, and how many match in all", schema: gallery } },
      errors: ["index_unavailable", "storage_unavailable", "provider_unavailable"],
      cache: "public-10s",
      handle: async ({ query: { sort, cursor, limit, q, seed = null } }) => {
        // Without a USD pool every USD volume is null: sort by the native volume.
        const byQuote = sort === "volume" && !deps.chain.manifestState().manifest?.eth_usd;
        const asked: GalleryQuery = {
          sort: byQuote ? "volume_quote" : sort,
          search: q ? q.toLowerCase() : null,
          seed: sort === "random" ? seed : null,
        };
        const from = cursor === undefined ? null : await openGalleryCursor(cursors, asked, cursor);
        const query = { ...asked, seed: asked.seed ?? from?.seed ?? null };
        const key = JSON.stringify(["gallery", query, limit, from]);
        return await deps.readModel.getResponse(key, ["tokens", "eth_usd", "minute"], async (db, present) => {
          const freshSeed = Buffer.from(deps.ids.bytes(4)).readUInt32BE();
          return await readGalleryPage(db, cursors, { query, from, limit, freshSeed }, { mediaUrl, present });
        });
      },
    }),
  ];
}
