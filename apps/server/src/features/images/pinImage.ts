import type { Deps } from "../../deps.ts";
import { PinningError, type PinningErrorCode } from "../../providers/pinning/pinningService.ts";
import { claimPin, findPin, type PinClaim, type PinRow, storePinFailure, storePinned } from "./pinQueries.ts";
import { toImageKey } from "./storeImage.ts";

type PinDeps = Pick<Deps, "clock" | "config" | "db" | "log" | "metrics" | "pinning">;

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Failed attempts after which the job gives up; another upload of the picture tries once more. */
const maxAttempts = 10;

/** Interval at which an upload checks whether another request has pinned the same picture. */
const pollMs = 100;

/** Longer than an attempt and the storing of its result, so that claims expire only after a crash. */
export const getPinLeaseMs = ({ PINNING_TIMEOUT_MS }: Deps["config"]) => PINNING_TIMEOUT_MS + minuteMs;

/**
 * Pins an uploaded picture once, even if several uploads of the picture are in progress. Stores a failure, and the job
 * retries.
 *
 * @returns The state of the pin; null if the picture has no pin and pinning is not configured.
 */
export async function pinImage(
  deps: PinDeps,
  image: { sha256: string; cid: string },
  bytes: Uint8Array,
): Promise<PinRow | null> {
  const { clock, config, db, pinning } = deps;
  const deadline = clock.now() + config.PINNING_TIMEOUT_MS;
  for (;;) {
    const pin = await findPin(db.api, image.sha256);
    if (pinning === null || pin?.pinned) return pin;
    const attempts = await claimPin(db.api, image.sha256, getPinLeaseMs(config));
    if (attempts !== null) return await attemptPin(deps, { ...image, attempts }, bytes);
    if (pin !== null && pin.error !== null) return pin;
    if (clock.now() >= deadline) return { pinned: false, error: "pinning_pending" };
    await clock.sleep(pollMs);
  }
}

/** Makes one attempt at a claimed pin and stores its result. @param signal - Aborts the attempt. */
export async function attemptPin(
  { config, db, log, metrics, pinning }: PinDeps,
  { sha256, cid, attempts }: PinClaim,
  bytes: Uint8Array,
  signal?: AbortSignal,
): Promise<PinRow> {
  const timeout = AbortSignal.timeout(config.PINNING_TIMEOUT_MS);
  try {
    const request = { cid, name: toImageKey(sha256), bytes };
    await pinning!.pin(request, signal ? AbortSignal.any([timeout, signal]) : timeout);
  } catch (error) {
    if (signal?.aborted) throw error;
    const code: PinningErrorCode = error instanceof PinningError ? error.code : "pinning_unavailable";
    const failures = attempts + 1;
    const retryInMs = failures >= maxAttempts ? null : Math.min(minuteMs * 5 ** (failures - 1), dayMs);
    await storePinFailure(db.api, sha256, code, retryInMs);
    metrics.imagePins.inc({ outcome: "failed" });
    const fields = { sha256, code, attempts: failures, err: error };
    if (retryInMs === null) log.warn(fields, "image not pinned, no more attempts");
    else log.info(fields, "image pinning failed");
    return { pinned: false, error: code };
  }
  await storePinned(db.api, sha256);
  metrics.imagePins.inc({ outcome: "pinned" });
  return { pinned: true, error: null };
}
