import { SlipwayError } from "@slipway/protocol/errors";
import type { EncodedImage } from "../../compute/encodeImage.ts";
import type { Deps } from "../../deps.ts";
import { type MediaStorage, MediaStorageError } from "../../providers/storage/mediaStorage.ts";
import { findImage, type ImageRow, insertImage } from "./queries.ts";
import { releaseQuota, useQuota } from "./quotaQueries.ts";

/** The key of the stored picture. Everything stored is WebP. */
export const toImageKey = (sha256: string) => `${sha256}.webp`;

/** The key of one of its smaller versions. */
export const toSizeKey = (sha256: string, size: number) => `${sha256}/${size}.webp`;

type StoreDeps = Pick<Deps, "config" | "db" | "mediaStorage">;

/**
 * Stores a picture, or finds it: the same picture is stored once. The row is written when all objects are stored, so that
 * a crash in between leaves objects that nothing serves, which the next upload of the picture writes again.
 *
 * @param options.accountId - The account that sent it, for which it counts and which may have it pinned: a blocked one is
 *   refused. Null: a job fetched it; a blocked one is stored and shown nowhere.
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
    // Where the database does not answer either, the picture counts until its next upload, which costs nothing then.
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
  // The deny list blocks a new picture as it is stored.
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
  // The last one: where it is, the others are too.
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
