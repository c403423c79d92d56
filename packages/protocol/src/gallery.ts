import { z } from "zod";
import { integerQuery, optionalIntegerQuery } from "./integerQuery.ts";
import { addressOut, dateTime } from "./primitives.ts";
import { maxCountedMatches, tokenSearch } from "./searchLimits.ts";
import { text } from "./text.ts";

const metric = z.number().nullable();

/** The processed picture of a token: what is stored of it, and where it is. */
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
      .describe("The picture within a square of so many pixels; never enlarged."),
    alt: z.string().describe("What the picture is of, for those who do not see it."),
  })
  .meta({ id: "GalleryImage", description: "The processed picture of a token." });

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
            price_usd: metric,
            market_cap_usd: metric,
            volume_24h_usd: metric,
            launched_at: dateTime,
          }),
          image: galleryImage,
        }),
      )
      .max(100),
    next_cursor: z.string().nullable().describe("Asks for the next page; null at the end."),
    total: z.int().describe(`How many pictures match in all; of a search ${maxCountedMatches} where more do.`),
    as_of: z.object({ block_number: z.int(), timestamp: dateTime }),
    seed: z.int().optional().describe("Of the order `random` alone: with it, another request has the same order."),
  })
  .meta({ id: "Gallery", description: "Processed pictures of launched tokens. Unknown metrics are null." });
export type Gallery = z.infer<typeof gallery>;

export const gallerySort = z.enum(["new", "volume", "market_cap", "random"]);
export type GallerySort = z.infer<typeof gallerySort>;

/** The largest seed of the order `random`. */
export const maxGallerySeed = 4_294_967_295;

export const galleryQuery = z.object({
  sort: gallerySort.default("new").describe("The order: by age, 24 h volume, market cap, or at random."),
  cursor: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,512}$/, "must be next_cursor of a page")
    .optional()
    .describe("`next_cursor` of the page before, of the same query."),
  limit: integerQuery(1, 100, 60).describe("The most pictures of the answer."),
  q: text().max(200).optional().describe(tokenSearch),
  seed: optionalIntegerQuery(0, maxGallerySeed).describe("For `random`: the order. Without it the answer names one."),
});
