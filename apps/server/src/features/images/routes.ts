import { SlipwayError } from "@slipway/protocol/errors";
import { imageTypes, maxImageBytes, type UploadedImage, uploadedImage } from "@slipway/protocol/images";
import { text } from "@slipway/protocol/text";
import type { FastifyReply } from "fastify";
import { z } from "zod";
import { CachedResponse } from "../../cache/cachedResponse.ts";
import { imageSizes } from "../../compute/imageLimits.ts";
import type { Config } from "../../config.ts";
import type { Deps } from "../../deps.ts";
import { getMediaUrl } from "../../imageSettings.ts";
import { pinningErrors } from "../../providers/pinning/pinningService.ts";
import { guardedRoute, publicRoute, type Route } from "../../route.ts";
import { pinImage } from "./pinImage.ts";
import type { PinRow } from "./pinQueries.ts";
import { findImage, type ImageRow } from "./queries.ts";
import { asSlipwayError, storeImage, toImageKey, toSizeKey } from "./storeImage.ts";

/** Routes that store pictures and serve them. */
export function imagesRoutes(deps: Deps): Route[] {
  const { config, imageDecoder } = deps;
  return [
    guardedRoute({
      method: "POST",
      path: "/images",
      name: "uploadImage",
      tag: "Launch",
      summary: "Store a picture for a launch",
      description:
        "Takes a PNG, JPEG, GIF or WebP of at most 4 MiB, 8,192 pixels a side, 300 frames and 40 megapixels in all frames. " +
        "The picture is decoded and encoded anew as WebP, at most 2,048 pixels a side: upright, in sRGB, without metadata, " +
        "animations with all frames. Of the WebP at most 6 MiB are stored, 7 MiB with its smaller versions; a picture that " +
        "becomes more is refused: send fewer frames or fewer pixels. The same picture gives the same answer and is stored once. An account has a quota of pictures and " +
        "of their bytes, in which a picture counts once. `uri` is what a draft takes.",
      file: {
        maxBytes: maxImageBytes,
        tooLarge: "image_too_large",
        contentTypes: imageTypes,
        description: "The picture. Its content decides what it is, not its name or type.",
      },
      limit: "upload",
      answers: { 200: { description: "The stored picture", schema: uploadedImage } },
      errors: [
        "unsupported_image_type",
        "invalid_fields",
        "too_many_images",
        "provider_unavailable",
        "storage_unavailable",
      ],
      handle: async ({ file, principal }) => {
        const base = requireMediaUrl(config);
        const encoded = await imageDecoder.encode(file);
        const image = await storeImage(deps, encoded, { accountId: principal.accountId });
        return toUploadedImage(image, await pinImage(deps, image, encoded.bytes), base);
      },
    }),

    publicRoute({
      method: "GET",
      path: "/media/:name",
      site: true,
      name: "getImage",
      tag: "Tokens",
      summary: "Get a stored picture",
      description: "What is at this path never changes. A picture that is unknown or blocked is 404.",
      schemas: { params: z.object({ name: text().describe("The picture's `sha256` and `.webp`.") }) },
      answers: mediaAnswers,
      errors: ["not_found", "storage_unavailable"],
      cache: "immutable",
      handle: async ({ params, reply }) => {
        const [, sha256] = /^([0-9a-f]{64})\.webp$/.exec(params.name) ?? [];
        return await serveMedia(deps, reply, sha256, toImageKey);
      },
    }),

    publicRoute({
      method: "GET",
      path: "/media/:sha256/:size",
      site: true,
      name: "getImageSize",
      tag: "Tokens",
      summary: "Get a smaller version of a stored picture",
      description:
        "It fits into a square of 64, 256, 512 or 1,024 pixels and is never larger than the picture; of an animation it is " +
        "the first frame.",
      schemas: {
        params: z.object({
          sha256: text().describe("The picture's `sha256`."),
          size: text().describe("`64.webp`, `256.webp`, `512.webp` or `1024.webp`."),
        }),
      },
      answers: mediaAnswers,
      errors: ["not_found", "storage_unavailable"],
      cache: "immutable",
      handle: async ({ params, reply }) => {
        const size = imageSizes.find((candidate) => params.size === `${candidate}.webp`);
        const sha256 = /^[0-9a-f]{64}$/.test(params.sha256) && size !== undefined ? params.sha256 : undefined;
        return await serveMedia(deps, reply, sha256, (hash) => toSizeKey(hash, size!));
      },
    }),
  ];
}

const media = { contentType: "image/webp" } as const;
const mediaAnswers = {
  200: { ...media, description: "The picture", headers: ["Accept-Ranges"] as const },
  302: { description: "It is elsewhere (`MEDIA_SERVING=redirect`)", headers: ["Location"] as const },
  206: {
    ...media,
    description: "The range that `Range` asks for",
    headers: ["Accept-Ranges", "Content-Range"] as const,
  },
};

/** The address below which stored pictures are reached. @throws SlipwayError `provider_unavailable` */
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
 * Answers with a stored picture, or with where it is.
 *
 * @throws SlipwayError `not_found`, `storage_unavailable`.
 */
async function serveMedia(
  { config, db, mediaStorage }: Deps,
  reply: FastifyReply,
  sha256: string | undefined,
  toKey: (sha256: string) => string,
): Promise<CachedResponse | undefined> {
  const image = sha256 === undefined ? null : await findImage(db.api, sha256);
  if (image === null || image.blocked) throw new SlipwayError("not_found", "There is no such picture.");
  const key = toKey(image.sha256);
  if (config.MEDIA_SERVING === "redirect") {
    reply.code(302).header("location", `${requireMediaUrl(config)}/${key}`);
    return undefined;
  }
  const bytes = await asSlipwayError(() => mediaStorage.get(key));
  if (bytes === null) throw new SlipwayError("storage_unavailable", "The storage of images lacks this picture.");
  return new CachedResponse(bytes, `"${key}"`, image.contentType);
}
