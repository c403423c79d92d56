import { z } from "zod";
import { asOf } from "./asOf.ts";
import { integerQuery, optionalIntegerQuery } from "./integerQuery.ts";
import { addressOut, dateTime } from "./primitives.ts";
import { maxCountedMatches, tokenSearch } from "./searchLimits.ts";
import { text } from "./text.ts";
import { nameWarning } from "./tokenWarning.ts";

const metric = z.number().nullable();

/** The processed picture of a token: its properties and URLs. */
export const galleryImage = z
  .object({
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    width: z.int().positive(),
    height: z.int().positive(),
    animated: z.boolean(),
    blurhash: z.string().describe("A blurred preview in a few characters (https://blurha.sh)."),
    dominant_color: z.string().regex(/^#[0-9a-f]{6}$/),
    urls: z
      .object({ 64: z.url(), 256: z.url(), 512: z.url(), 1024: z.url() })
      .describe("The URL of the image within a square of this many pixels; images are never enlarged."),
    alt: z.string().describe("The text alternative of the image."),
  })
  .meta({ id: "GalleryImage", description: "The processed image of a token." });

/** A page of pictures of launched tokens. */
export const gallery = z
  .object({
    items: z
      .array(
        z.object({
          token: z.object({
            address: addressOut,
            name: z.string(),
            symbol: z.string(),
            name_warning: nameWarning,
            price_usd: metric,
            market_cap_usd: metric,
            volume_24h_usd: metric,
            launched_at: dateTime,
          }),
          image: galleryImage,
        }),
      )
      .max(100),
    next_cursor: z.string().nullable().describe("Pass it as `cursor` to get the next page; null on the last page."),
    total: z.int().describe(`The total number of matching images. A search counts at most ${maxCountedMatches}.`),
    as_of: asOf,
    seed: z.int().optional().describe("Only for `random`: another request with this seed has the same order."),
  })
  .meta({ id: "Gallery", description: "Processed images of launched tokens. Unknown metrics are null." });
export type Gallery = z.infer<typeof gallery>;

export const gallerySort = z.enum(["new", "volume", "market_cap", "random"]);
export type GallerySort = z.infer<typeof gallerySort>;

/** The maximum seed of the order `random`. */
export const maxGallerySeed = 4_294_967_295;

export const galleryQuery = z.object({
  sort: gallerySort.default("new").describe("The order: by age, 24 h volume, market cap, or at random."),
  cursor: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,512}$/, "must be next_cursor of a page")
    .optional()
    .describe("`next_cursor` of the previous page, with the same filters."),
  limit: integerQuery(1, 100, 60).describe("The maximum number of images."),
  q: text().max(200).optional().describe(tokenSearch),
  seed: optionalIntegerQuery(0, maxGallerySeed).describe(
    "Only for `random`: the seed of the order. By default a new one, which the answer contains.",
  ),
});
