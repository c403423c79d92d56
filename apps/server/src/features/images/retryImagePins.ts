import type { Deps } from "../../deps.ts";
import { type Job, repeat } from "../../job.ts";
import { attemptPin, getPinLeaseMs } from "./pinImage.ts";
import { claimDuePins, type PinClaim, releasePin, schedulePins, storePinFailure } from "./pinQueries.ts";
import { toImageKey } from "./storeImage.ts";

const dayMs = 24 * 60 * 60_000;

/** Number of pictures that a process pins concurrently. */
const batchSize = 4;

/**
 * Starts the job that retries pins that failed during the upload, after 1, 5, 25 minutes and so on up to a day, with
 * ten attempts in total. Also pins pictures uploaded before pinning was configured. Several processes can share the
 * work.
 */
export function retryImagePins(deps: Deps): Job {
  let hasScheduled = false;
  const run = async (signal: AbortSignal) => {
    if (deps.pinning === null) return false;
    if (!hasScheduled) {
      while ((await schedulePins(deps.db.api)) > 0) signal.throwIfAborted();
      hasScheduled = true;
    }
    const claims = await claimDuePins(deps.db.api, batchSize, getPinLeaseMs(deps.config));
    const results = await Promise.allSettled(claims.map((claim) => processClaim(deps, claim, signal)));
    for (const result of results) if (result.status === "rejected") throw result.reason;
    return claims.length === batchSize;
  };
  return repeat(deps, { name: "image pins", pauseMs: deps.config.PIN_POLL_MS, run });
}

async function processClaim(deps: Deps, claim: PinClaim, signal: AbortSignal): Promise<void> {
  try {
    const bytes = await deps.mediaStorage.get(toImageKey(claim.sha256));
    if (bytes === null) {
      deps.log.warn({ sha256: claim.sha256 }, "stored image missing");
      await storePinFailure(deps.db.api, claim.sha256, "pinning_unavailable", dayMs);
      return;
    }
    await attemptPin(deps, claim, bytes, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    await releasePin(deps.db.api, claim.sha256);
  }
}
