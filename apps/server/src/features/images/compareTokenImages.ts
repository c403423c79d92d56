import type { Deps } from "../../deps.ts";
import { type Job, repeat } from "../../job.ts";
import { listImagesAfter, storeComparedImage } from "./similarImageQueries.ts";

const batchSize = 500;
const pauseMs = 1_000;

/**
 * Starts the job that compares the processed pictures of tokens with those of earlier launches. Several processes can
 * share it.
 */
export function compareTokenImages(deps: Pick<Deps, "db" | "clock" | "log" | "metrics">): Job {
  let after = "0";
  const run = async (signal: AbortSignal) => {
    const images = await listImagesAfter(deps.db.api, after, batchSize);
    for (const { token, sha256, dhash, change, compared } of images) {
      signal.throwIfAborted();
      // Pictures of early versions have no hash until the job `image hashes` reads them.
      if (!compared && dhash !== null) await storeComparedImage(deps.db.api, { token, sha256, dhash });
      after = change;
    }
    return images.length === batchSize;
  };
  return repeat(deps, { name: "similar images", pauseMs, run });
}
