import type { Deps } from "../../deps.ts";
import { type Job, repeat } from "../../job.ts";
import { listUnhashedImages, storeImageHash } from "./hashQueries.ts";
import { toImageKey } from "./storeImage.ts";

/** Number of pictures per run. */
const batchSize = 16;
const pauseMs = 60 * 60_000;

/** Starts the job that hashes pictures of earlier versions, so that the deny list also applies to them. */
export function hashStoredImages(deps: Deps): Job {
  let after = "";
  const run = async (signal: AbortSignal) => {
    const pictures = await listUnhashedImages(deps.db.api, after, batchSize);
    for (const sha256 of pictures) {
      signal.throwIfAborted();
      after = sha256;
      await hashStoredImage(deps, sha256);
    }
    if (pictures.length < batchSize) after = "";
    return pictures.length === batchSize;
  };
  return repeat(deps, { name: "image hashes", pauseMs, run });
}

async function hashStoredImage(deps: Deps, sha256: string): Promise<void> {
  const { db, imageDecoder, log, mediaStorage } = deps;
  const bytes = await mediaStorage.get(toImageKey(sha256));
  if (bytes === null) {
    log.warn({ sha256 }, "stored image missing");
    return;
  }
  const { dhash } = await imageDecoder.encode(bytes);
  await storeImageHash(db.api, sha256, dhash);
}
