import { SlipwayError } from "@slipway/protocol/errors";
import type { UploadedImage } from "@slipway/protocol/images";
import type { FastifyReply } from "fastify";
import { CachedResponse } from "../../cache/cachedResponse.ts";
import { imageSizes } from "../../compute/imageLimits.ts";
import type { Config } from "../../config.ts";
import type { Deps } from "../../deps.ts";
import { getMediaUrl } from "../../imageSettings.ts";
import { pinningErrors } from "../../providers/pinning/pinningService.ts";
import { createRoute, type Route } from "../../route.ts";
import { pinImage } from "./pinImage.ts";
import type { PinRow } from "./pinQueries.ts";
import { findImage, type ImageRow } from "./queries.ts";
import { asSlipwayError, storeImage, toImageKey, toSizeKey } from "./storeImage.ts";

/** Routes that store pictures and serve them. */
export function imagesRoutes(deps: Deps): Route[] {
  const { config, imageDecoder } = deps;
  return [
    createRoute("uploadImage", {
      limit: "upload",
      handle: async ({ file, principal: { accountId }, clientAddress }) => {
        const base = requireMediaUrl(config);
        const encoded = await imageDecoder.encode(file, { clientAddress, accountId });
        const image = await storeImage(deps, encoded, { accountId });
        return toUploadedImage(image, await pinImage(deps, image, encoded.bytes), base);
      },
    }),

    createRoute("getImage", {
      cache: "immutable",
      handle: async ({ params, reply }) => {
        const [, sha256] = /^([0-9a-f]{64})\.webp$/.exec(params.name) ?? [];
        return await serveMedia(deps, reply, sha256, toImageKey);
      },
    }),

    createRoute("getImageSize", {
      cache: "immutable",
      handle: async ({ params, reply }) => {
        const size = imageSizes.find((candidate) => params.size === `${candidate}.webp`);
        const sha256 = /^[0-9a-f]{64}$/.test(params.sha256) && size !== undefined ? params.sha256 : undefined;
        return await serveMedia(deps, reply, sha256, (hash) => toSizeKey(hash, size!));
      },
    }),
  ];
}

/** Returns the base URL of stored pictures. @throws SlipwayError `provider_unavailable`. */
function requireMediaUrl(config: Config): string {
  const base = getMediaUrl(config);
  if (base === null) throw new SlipwayError("provider_unavailable", "Uploads need SITE_URL or MEDIA_PUBLIC_URL.");
  return base;
}

function toUploadedImage(image: ImageRow, pin: PinRow | null, base: string): UploadedImage {
  const url = `${base}/${toImageKey(image.sha256)}`;
  const ipfs = pin?.pinned ? `ipfs://${image.cid}` : null;
  const error = pin?.error ?? null;
  return {
    uri: ipfs ?? url,
    ipfs,
    url,
    ipfs_error: error === null ? null : { code: error, message: pinningErrors[error] },
    sha256: image.sha256,
    cid: image.cid,
    width: image.width,
    height: image.height,
    animated: image.animated,
    bytes: image.size,
    content_type: image.contentType,
    blurhash: image.blurhash,
    dominant_color: image.dominantColor,
  };
}

/**
 * Returns a stored picture, or a redirect to the picture.
 *
 * @throws SlipwayError `not_found`, `storage_unavailable`.
 */
async function serveMedia(
  { config, db, mediaStorage }: Deps,
  reply: FastifyReply,
  sha256: string | undefined,
  toKey: (sha256: string) => string,
): Promise<CachedResponse | undefined> {
  const image = sha256 === undefined ? null : await findImage(db.newest, sha256);
  if (image === null || image.blocked) throw new SlipwayError("not_found", "Image not found.");
  const key = toKey(image.sha256);
  if (config.MEDIA_SERVING === "redirect") {
    reply.code(302).header("location", `${requireMediaUrl(config)}/${key}`);
    return undefined;
  }
  const bytes = await asSlipwayError(() => mediaStorage.get(key));
  if (bytes === null) throw new SlipwayError("storage_unavailable", "The storage of images lacks this picture.");
  return new CachedResponse(bytes, `"${key}"`, image.contentType);
}
