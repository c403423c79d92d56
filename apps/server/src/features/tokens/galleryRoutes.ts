import { createSignedCursors } from "../../db/signedCursors.ts";
import type { Deps } from "../../deps.ts";
import { getMediaUrl } from "../../imageSettings.ts";
import { getOfficialAssets } from "../../officialAssetSettings.ts";
import { createRoute, type Route } from "../../route.ts";
import { type GalleryQuery, openGalleryCursor, readGalleryPage } from "./galleryPage.ts";

/** Creates the route of the gallery: processed pictures of launched tokens. */
export function galleryRoutes(deps: Deps): Route[] {
  const cursors = createSignedCursors(deps.db, deps.ids);
  const mediaUrl = getMediaUrl(deps.config);

  return [
    createRoute("getGallery", {
      cache: "public-10s",
      handle: async ({ query: { sort, cursor, limit, q, seed = null } }) => {
        // Without a USD pool every USD volume is null: sort by the native volume.
        const byQuote = sort === "volume" && !deps.chain.manifestState().manifest?.eth_usd;
        const requested: GalleryQuery = {
          sort: byQuote ? "volume_quote" : sort,
          search: q ? q.toLowerCase() : null,
          seed: sort === "random" ? seed : null,
        };
        const from = cursor === undefined ? null : await openGalleryCursor(cursors, requested, cursor);
        const query = { ...requested, seed: requested.seed ?? from?.seed ?? null };
        const key = JSON.stringify(["gallery", query, limit, from]);
        return await deps.readModel.getResponse(key, ["tokens", "eth_usd", "minute"], async (db, readContext) => {
          const freshSeed = Buffer.from(deps.ids.bytes(4)).readUInt32BE();
          const official = getOfficialAssets(deps.config, deps.chain.manifestState().manifest);
          const request = { query, from, limit, freshSeed };
          return await readGalleryPage(db, cursors, request, { mediaUrl, official, readContext });
        });
      },
    }),
  ];
}
