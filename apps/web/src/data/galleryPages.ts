import type { GallerySort } from "@slipway/protocol/gallery";
import { pageOptions } from "./queries.ts";

const pageSize = 60;

export type GallerySearch = { q?: string; sort?: GallerySort; seed?: string };

/** Query options for the gallery's images, in the order from the URL. */
export const galleryPages = ({ q = "", sort = "new", seed }: GallerySearch) =>
  pageOptions("getGallery", {
    sort,
    limit: pageSize,
    ...(q === "" ? {} : { q }),
    ...(sort === "random" ? { seed: Number(seed ?? 0) } : {}),
  });
