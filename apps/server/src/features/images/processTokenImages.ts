import { SlipwayError } from "@slipway/protocol/errors";
import type { Deps } from "../../deps.ts";
import { parseUploadUri } from "../../imageSettings.ts";
import { type Job, repeat } from "../../job.ts";
import { fetchImage, imageDeadlineMs } from "../../providers/fetchImage.ts";
import type { UntrustedFetch } from "../../providers/untrustedFetch/untrustedFetch.ts";
import { UntrustedFetchError } from "../../providers/untrustedFetch/untrustedFetchError.ts";
import { storeImage } from "./storeImage.ts";
import {
  claimTokenImages,
  type Discovered,
  discoverTokenImages,
  findStoredImage,
  releaseTokenImage,
  scheduleIpfsImages,
  storeTokenImage,
  storeTokenImageError,
  type TokenImageClaim,
} from "./tokenImageQueries.ts";

/** Number of pictures that a process fetches concurrently; the decoders process them one after the other. */
const batchSize = 8;
/** Consecutive failures after which a picture is not fetched again. */
const maxAttempts = 8;
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** Longer than the longest fetch, the decoding and the storing. */
const leaseMs = imageDeadlineMs + 5 * minuteMs;

/** The stored error of ipfs pictures while IPFS_GATEWAY_URL is not set. */
const noGatewayError = "no_ipfs_gateway";

/**
 * Starts the job that processes the picture of each launched token. Fetches the picture once, or takes an uploaded
 * picture from the storage, and encodes the picture like an upload. Retries failures after increasing pauses. Several
 * processes can share the work.
 */
export function processTokenImages(deps: Deps, untrustedFetch: UntrustedFetch): Job {
  const { api } = deps.db;
  let from: Discovered = { tokenId: 0, change: "0" };
  let hasScheduledIpfs = deps.config.IPFS_GATEWAY_URL === undefined;

  const run = async (signal: AbortSignal) => {
    if (!hasScheduledIpfs) await scheduleIpfsImages(api, noGatewayError);
    hasScheduledIpfs = true;
    const { next, more } = await discoverTokenImages(api, from);
    from = next;
    const claims = await claimTokenImages(api, batchSize, leaseMs);
    const results = await Promise.allSettled(claims.map((claim) => processClaim(deps, untrustedFetch, claim, signal)));
    for (const result of results) if (result.status === "rejected") throw result.reason;
    return more || claims.length === batchSize;
  };
  return repeat(deps, { name: "token images", pauseMs: deps.config.TOKEN_MANIFEST_POLL_MS, run });
}

async function processClaim(
  deps: Deps,
  untrustedFetch: UntrustedFetch,
  claim: TokenImageClaim,
  signal: AbortSignal,
): Promise<void> {
  const { db, log, metrics } = deps;
  try {
    await storeTokenImage(db.api, claim, await findOrFetch(deps, untrustedFetch, claim.uri, signal));
    metrics.tokenImages.inc({ outcome: "processed" });
  } catch (error) {
    const failure = signal.aborted ? "release" : toFailure(error);
    if (failure === "release") return await releaseTokenImage(db.api, claim);
    if (failure === null) throw error;
    const nextInMs = getRetryDelayMs(claim.attempt, failure);
    await storeTokenImageError(db.api, claim, failure.code, nextInMs);
    metrics.tokenImages.inc({ outcome: "failed" });
    log.info({ token: claim.token, code: failure.code, attempt: claim.attempt }, "token image failed");
  }
}

/** Finds or fetches and stores the picture of a URI. @returns Its SHA-256. */
async function findOrFetch(
  deps: Deps,
  untrustedFetch: UntrustedFetch,
  uri: string,
  signal: AbortSignal,
): Promise<string> {
  const upload = parseUploadUri(uri, deps.config);
  const stored = upload === null ? null : await findStoredImage(deps.db.api, upload);
  if (stored !== null) return stored;
  const ipfsGateway = deps.config.IPFS_GATEWAY_URL;
  if (/^ipfs:/i.test(uri) && ipfsGateway === undefined) throw new NoGatewayError();
  const file = await fetchImage(untrustedFetch, uri, { ipfsGateway, signal });
  const { sha256 } = await storeImage(deps, await deps.imageDecoder.encode(file), { accountId: null });
  return sha256;
}

class NoGatewayError extends Error {
  override name = "NoGatewayError";
}

type Failure = { code: string; retryable: boolean; final?: true };

/** Converts an error to the stored failure; `release` if the picture is not the cause; null for a fault of ours. */
function toFailure(error: unknown): Failure | "release" | null {
  if (error instanceof UntrustedFetchError) return { code: error.code, retryable: error.retryable };
  if (error instanceof NoGatewayError) return { code: noGatewayError, retryable: false, final: true };
  if (!(error instanceof SlipwayError)) return null;
  if (error.code === "overloaded") return "release";
  if (error.code === "storage_unavailable") return null;
  return { code: error.code, retryable: false };
}

/** The delay of the next attempt: 1, 5, 25, ... minutes up to a day, a day if not retryable, null for never. */
function getRetryDelayMs(attempt: number, { retryable, final }: Failure): number | null {
  if (final || attempt >= maxAttempts) return null;
  return retryable ? Math.min(minuteMs * 5 ** (attempt - 1), dayMs) : dayMs;
}
