import { z } from "zod";
import { integerQuery } from "./integerQuery.ts";
import { imageId, moderationReason } from "./moderation.ts";
import { dateTime } from "./primitives.ts";

/** The maximum number of bits in which a picture may differ from an entry. */
export const maxHashDistance = 6;

/** A 64-bit dHash. */
const imageHash = z
  .string()
  .regex(/^[0-9a-f]{16}$/, "must be 16 hex digits in lower case")
  .describe("The perceptual hash of an image (64-bit dHash), in hex.");

/** A new entry of the deny list: the hash of a stored picture, or a hash from another source. */
export const imageDenial = z
  .strictObject({
    sha256: imageId.optional(),
    dhash: imageHash.optional(),
    within: z
      .int()
      .min(0)
      .max(maxHashDistance)
      .default(maxHashDistance)
      .describe("The maximum number of different bits; 0 matches only the same hash."),
    reason: moderationReason,
  })
  .superRefine(({ sha256, dhash }, context) => {
    if ((sha256 === undefined) === (dhash === undefined)) {
      context.addIssue({ code: "custom", path: ["dhash"], message: "must be sent if and only if sha256 is omitted" });
    }
  })
  .meta({
    id: "ImageDenial",
    description: "Blocks similar images. Send exactly one of `sha256` and `dhash`.",
  });

export type ImageDenial = z.input<typeof imageDenial>;

export const deniedImage = z
  .object({ id: z.uuid(), dhash: imageHash, within: z.int(), reason: z.string(), created_at: dateTime })
  .meta({ id: "DeniedImage", description: "An entry of the deny list of images." });

export const addedDenial = deniedImage
  .extend({ blocked: z.int().describe("The number of stored images that the entry blocked.") })
  .meta({
    id: "AddedDenial",
    description: "An entry of the deny list, and the number of stored images that it blocked.",
  });

export const deniedImages = z.object({ items: z.array(deniedImage), next_before: z.uuid().nullable() }).meta({
  id: "DeniedImages",
  description: "The deny list, newest first. Pass `next_before` as `before` to get the next page.",
});

export const deniedImagesQuery = z.object({
  limit: integerQuery(1, 100, 50).describe("The maximum number of entries."),
  before: z.uuid("must be next_before of a page").optional().describe("`next_before` of the previous page."),
});
