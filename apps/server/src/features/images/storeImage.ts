import { SlipwayError } from "@slipway/protocol/errors";
import type { EncodedImage } from "../../compute/encodeImage.ts";
import type { Deps } from "../../deps.ts";
import { type MediaStorage, MediaStorageError } from "../../providers/storage/mediaStorage.ts";
import { findImage, type ImageRow, insertImage } from "./queries.ts";
import { releaseQuota, useQuota } from "./quotaQueries.ts";

/** Returns the storage key of a picture. All stored pictures are WebP. */
export const toImageKey = (sha256: string) => `${sha256}.webp`;

/** Returns the storage key of a smaller version of a picture. */
export const toSizeKey = (sha256: string, size: number) => `${sha256}/${size}.webp`;

type StoreDeps = Pick<Deps, "config" | "db" | "mediaStorage">;

/**
 * Stores a picture, or finds the stored picture: equal pictures are stored once. Writes the row after all objects, so
 * that a crash in between leaves only unserved objects, which the next upload of the picture overwrites.
 *
 * @param options.accountId - The uploading account, whose quota the picture counts against; a blocked picture is
 *   refused. Null for a picture that a job fetched; a blocked picture is then stored but never shown.
 * @throws SlipwayError `invalid_fields` (the picture is blocked), `too_many_images`, `storage_unavailable`.
 */
export async function storeImage(
  deps: StoreDeps,
  image: EncodedImage,
  { accountId }: { accountId: string | null },
): Promise<ImageRow> {
  const { config, db } = deps;
  const known = await findImage(db.api, image.sha256);
  if (accountId === null) return await store(deps, image, known, false);
  refuseBlocked(known);
  const isNew = await useQuota(db, config, accountId, image);
  try {
    return await store(deps, image, known, true);
  } catch (error) {
    // If the database is also unavailable, the picture stays counted, and its next upload does not count again.
    if (isNew) await releaseQuota(db.api, accountId, image.sha256).catch(() => undefined);
    throw error;
  }
}

async function store(
  { db: { api }, mediaStorage }: StoreDeps,
  image: EncodedImage,
  known: ImageRow | null,
  uploaded: boolean,
): Promise<ImageRow> {
  await asSlipwayError(async () => {
    if (known === null || !(await mediaStorage.has(toImageKey(image.sha256)))) await putObjects(mediaStorage, image);
  });
  if (known === null || (uploaded && !known.uploaded)) await insertImage(api, image, uploaded);
  const stored = known ?? (await findImage(api, image.sha256))!;
  // The deny list blocks a new picture when the row is inserted.
  if (uploaded) refuseBlocked(stored);
  return stored;
}

function refuseBlocked(image: ImageRow | null): void {
  if (!image?.blocked) return;
  throw new SlipwayError("invalid_fields", "The picture was blocked by an administrator.", { field: "file" });
}

async function putObjects(storage: MediaStorage, image: EncodedImage): Promise<void> {
  const { sha256, contentType } = image;
  for (const { size, bytes } of image.sizes) await storage.put(toSizeKey(sha256, size), bytes, contentType);
  // Written last, so that this object exists only if all others exist.
  await storage.put(toImageKey(sha256), image.bytes, contentType);
}

/** @throws SlipwayError `storage_unavailable` instead of the storage's own error. */
export async function asSlipwayError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof MediaStorageError)) throw error;
    throw new SlipwayError("storage_unavailable", "The storage of images does not answer.", { cause: error });
  }
}
