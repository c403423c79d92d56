import { z } from "zod";

/** The maximum size of an uploaded file, in bytes. */
export const maxImageBytes = 4 * 1024 * 1024;

/** The accepted types of an upload. The content of the file determines its type, not its name or declared type. */
export const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;

/** The response to an upload: the URLs and the properties of the stored picture. */
export const uploadedImage = z
  .object({
    uri: z.string().describe("The value for a draft's `image_uri`: `ipfs`, or `url` while the image is not pinned."),
    ipfs: z.string().nullable().describe("`ipfs://` and the CID if the image is pinned, otherwise null."),
    url: z.url().describe("The URL at which this service serves the image."),
    ipfs_error: z
      .object({ code: z.string(), message: z.string() })
      .nullable()
      .describe(
        "The reason why the image is not pinned yet; pinning is retried. Null without an error, or if pinning " +
          "is not configured.",
      ),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe("The SHA-256 of the stored bytes."),
    cid: z.string().describe("The CID of the stored bytes, pinned or not."),
    width: z.int().positive(),
    height: z.int().positive(),
    animated: z.boolean(),
    bytes: z.int().positive(),
    content_type: z.string(),
    blurhash: z.string().describe("A blurred preview in a few characters (https://blurha.sh)."),
    dominant_color: z.string().regex(/^#[0-9a-f]{6}$/),
  })
  .meta({ id: "UploadedImage", description: "A stored image with its URLs and properties." });

export type UploadedImage = z.infer<typeof uploadedImage>;
