import {
  claimManifests,
  discoverManifests,
  type ManifestClaim,
  scheduleIpfsManifests,
  releaseClaim,
  storeManifest,
  storeManifestError,
} from "./tokenManifestQueries.ts";
import type { Deps } from "../deps.ts";
import type { UntrustedFetch } from "../providers/untrustedFetch/untrustedFetch.ts";
import { UntrustedFetchError } from "../providers/untrustedFetch/untrustedFetchError.ts";
import {
  fetchTokenManifest,
  ManifestDocumentError,
  manifestDeadlineMs,
  ManifestUriError,
} from "../providers/fetchTokenManifest.ts";
import { type Job, repeat } from "./repeat.ts";

/** Documents that a process fetches at once: enough that a few slow servers do not hold up the others. */
const batchSize = 16;

/** After this many failures in a row nobody asks again. */
const maxAttempts = 8;

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Longer than any fetch takes, with time to store what came. */
const leaseMs = manifestDeadlineMs + minuteMs;

/** The error of ipfs documents while IPFS_GATEWAY_URL is not set. */
const noGatewayError = "no_ipfs_gateway";

/**
 * Fetches the documents that launches name outside of the chain: new ones soon, those of an https URI again after a
 * day, failed ones with growing pauses, a bounded number of times. Any number of processes share the work.
 */
export function fetchTokenManifests(deps: Deps, fetchOutside: UntrustedFetch): Job {
  const { api } = deps.db;
  const gateway = deps.config.IPFS_GATEWAY_URL;
  let released = gateway === undefined;

  const turn = async (signal: AbortSignal) => {
    if (!released) await scheduleIpfsManifests(api, noGatewayError);
    released = true;
    await discoverManifests(api, gateway === undefined ? noGatewayError : null);
    const claims = await claimManifests(api, batchSize, leaseMs);
    const ends = await Promise.allSettled(claims.map((claim) => processClaim(deps, fetchOutside, claim, signal)));
    for (const end of ends) if (end.status === "rejected") throw end.reason;
    return claims.length === batchSize;
  };
  return repeat(deps, { name: "token manifests", pauseMs: deps.config.TOKEN_MANIFEST_POLL_MS, run: turn });
}

/** Fetches one document and stores how it ended. */
async function processClaim(
  deps: Deps,
  fetchOutside: UntrustedFetch,
  claim: ManifestClaim,
  signal: AbortSignal,
): Promise<void> {
  const { db, metrics, log } = deps;
  try {
    const fetched = await fetchTokenManifest(fetchOutside, claim.uri, {
      ipfsGateway: deps.config.IPFS_GATEWAY_URL,
      previous: claim,
      signal,
    });
    // What an ipfs URI names never changes.
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
    log.info({ token: claim.token, code: failure.code, attempt: claim.attempt }, "a token manifest was not fetched");
  }
}

/** The failure that a row keeps; null when the fault is not the document's. */
function toFailure(error: unknown): { code: string; retryable: boolean } | null {
  if (error instanceof UntrustedFetchError) return error;
  if (error instanceof ManifestDocumentError) return { code: "not_a_document", retryable: false };
  if (error instanceof ManifestUriError) return { code: "uri_refused", retryable: false };
  return null;
}

/** A minute, five, twenty-five ...; a day at the most, and at once when trying soon makes no sense. Null: never again. */
function getRetryDelayMs(attempt: number, retryable: boolean): number | null {
  if (attempt >= maxAttempts) return null;
  return retryable ? Math.min(minuteMs * 5 ** (attempt - 1), dayMs) : dayMs;
}
