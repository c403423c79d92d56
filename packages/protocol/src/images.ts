import { z } from "zod";

/** The largest file of an upload, in bytes. */
export const maxImageBytes = 4 * 1024 * 1024;

/** The types of an upload. What a file is, its content decides and not its name or declared type. */
export const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;

/** The answer of an upload: where the picture is, and what is stored of it. */
export const uploadedImage = z
  .object({
    uri: z.string().describe("What a draft takes as `image_uri`: `ipfs`, or `url` while the picture is not pinned."),
    ipfs: z.string().nullable().describe("`ipfs://` and the CID when the picture is pinned, else null."),
    url: z.url().describe("Where the service serves it."),
    ipfs_error: z
      .object({ code: z.string(), message: z.string() })
      .nullable()
      .describe(
        "Why it is not pinned yet; pinning is tried again. Null without an error, and where none is configured.",
      ),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe("Of the stored bytes."),
    cid: z.string().describe("The CID of the stored bytes, pinned or not."),
    width: z.int().positive(),
    height: z.int().positive(),
    animated: z.boolean(),
    bytes: z.int().positive(),
    content_type: z.string(),
    blurhash: z.string().describe("A blurred preview in a few characters (https://blurha.sh)."),
    dominant_color: z.string().regex(/^#[0-9a-f]{6}$/),
  })
  .meta({ id: "UploadedImage", description: "A stored picture: where it is, and what is stored of it." });

export type UploadedImage = z.infer<typeof uploadedImage>;
