import type { Deps } from "../../deps.ts";
import { type Job, repeat } from "../../job.ts";
import {
  fetchTokenManifest,
  ManifestDocumentError,
  ManifestUriError,
  manifestDeadlineMs,
} from "../../providers/fetchTokenManifest.ts";
import type { UntrustedFetch } from "../../providers/untrustedFetch/untrustedFetch.ts";
import { UntrustedFetchError } from "../../providers/untrustedFetch/untrustedFetchError.ts";
import {
  claimManifests,
  discoverManifests,
  type ManifestClaim,
  releaseClaim,
  scheduleIpfsManifests,
  storeManifest,
  storeManifestError,
} from "./tokenManifestQueries.ts";

/** Documents that a process fetches concurrently, so that a few slow servers do not delay the others. */
const batchSize = 16;

/** Consecutive failures after which a document is not fetched again. */
const maxAttempts = 8;

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Longer than the longest fetch and the storing of its result. */
const leaseMs = manifestDeadlineMs + minuteMs;

/** The stored error of ipfs documents while IPFS_GATEWAY_URL is not set. */
const noGatewayError = "no_ipfs_gateway";

/**
 * Starts the job that fetches the off-chain metadata documents of launches: new ones immediately, https documents again
 * after a day, failed ones after increasing delays, a bounded number of times. Several processes can share the work.
 */
export function fetchTokenManifests(deps: Deps, untrustedFetch: UntrustedFetch): Job {
  const { api } = deps.db;
  const gateway = deps.config.IPFS_GATEWAY_URL;
  let hasScheduledIpfs = gateway === undefined;

  const run = async (signal: AbortSignal) => {
    if (!hasScheduledIpfs) await scheduleIpfsManifests(api, noGatewayError);
    hasScheduledIpfs = true;
    await discoverManifests(api, gateway === undefined ? noGatewayError : null);
    const claims = await claimManifests(api, batchSize, leaseMs);
    const results = await Promise.allSettled(claims.map((claim) => processClaim(deps, untrustedFetch, claim, signal)));
    for (const result of results) if (result.status === "rejected") throw result.reason;
    return claims.length === batchSize;
  };
  return repeat(deps, { name: "token manifests", pauseMs: deps.config.TOKEN_MANIFEST_POLL_MS, run });
}

/** Fetches one document and stores the result. */
async function processClaim(
  deps: Deps,
  untrustedFetch: UntrustedFetch,
  claim: ManifestClaim,
  signal: AbortSignal,
): Promise<void> {
  const { db, metrics, log } = deps;
  try {
    const fetched = await fetchTokenManifest(untrustedFetch, claim.uri, {
      ipfsGateway: deps.config.IPFS_GATEWAY_URL,
      previous: claim,
      signal,
    });
    // An ipfs document never changes.
    const nextInMs = /^ipfs:/i.test(claim.uri) ? null : dayMs;
    await storeManifest(db.api, claim, fetched, nextInMs);
    metrics.tokenManifests.inc({ outcome: fetched === "unchanged" ? "unchanged" : "fetched" });
  } catch (error) {
    if (signal.aborted) {
      await releaseClaim(db.api, claim);
      return;
    }
    const failure = toFailure(error);
    if (failure === null) throw error;
    await storeManifestError(db.api, claim, failure.code, getRetryDelayMs(claim.attempt, failure.retryable));
    metrics.tokenManifests.inc({ outcome: "failed" });
    log.info({ token: claim.token, code: failure.code, attempt: claim.attempt }, "token manifest fetch failed");
  }
}

/** Converts an error to the stored failure; null when the document is not its cause. */
function toFailure(error: unknown): { code: string; retryable: boolean } | null {
  if (error instanceof UntrustedFetchError) return error;
  if (error instanceof ManifestDocumentError) return { code: "not_a_document", retryable: false };
  if (error instanceof ManifestUriError) return { code: "uri_refused", retryable: false };
  return null;
}

/** Returns the delay of the next attempt: 1, 5, 25, ... minutes up to a day, a day if not retryable, null for never. */
function getRetryDelayMs(attempt: number, retryable: boolean): number | null {
  if (attempt >= maxAttempts) return null;
  return retryable ? Math.min(minuteMs * 5 ** (attempt - 1), dayMs) : dayMs;
}
