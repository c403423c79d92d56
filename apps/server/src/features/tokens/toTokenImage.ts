import type { Gallery } from "@slipway/protocol/gallery";
import { imageSizes } from "../../compute/imageLimits.ts";

export type TokenImage = Gallery["items"][number]["image"];

/** The columns of a processed picture, with the name and symbol of its token. */
type ImageColumns = Pick<TokenImage, "sha256" | "width" | "height" | "animated" | "blurhash" | "dominant_color"> & {
  name: string;
  symbol: string;
};

/** Converts the processed picture of a token to the wire format. @param mediaUrl - From `getMediaUrl`. */
export function toTokenImage(row: ImageColumns, mediaUrl: string): TokenImage {
  const urls = Object.fromEntries(imageSizes.map((size) => [size, `${mediaUrl}/${row.sha256}/${size}.webp`]));
  return {
    sha256: row.sha256,
    width: row.width,
    height: row.height,
    animated: row.animated,
    blurhash: row.blurhash,
    dominant_color: row.dominant_color,
    urls: urls as TokenImage["urls"],
    alt: `${row.name} (${row.symbol})`,
  };
}
