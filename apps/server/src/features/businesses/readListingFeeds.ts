import type { ExternalListing } from "@slipway/protocol/listing";
import type { Deps } from "../../deps.ts";
import { type Job, repeat } from "../../job.ts";
import { createFeedWork, type FeedWork } from "../../providers/listings/createFeedWork.ts";
import { FeedError } from "../../providers/listings/feedError.ts";
import { feedDeadlineMs, fetchListingFeed } from "../../providers/listings/fetchListingFeed.ts";
import type { UntrustedFetch } from "../../providers/untrustedFetch/untrustedFetch.ts";
import { UntrustedFetchError } from "../../providers/untrustedFetch/untrustedFetchError.ts";
import { type Feed, getStaleMs, listFeeds } from "./feedSettings.ts";
import { hashJson } from "./listing.ts";
import {
  claimFeed,
  type FeedClaim,
  type FeedResult,
  finishFeed,
  type HashedListing,
  listFeedStates,
  listingsPerStatement,
  listStored,
  prepareFeeds,
  releaseFeed,
  removeExternal,
  storeExternal,
} from "./listingFeedQueries.ts";

const minuteMs = 60_000;

/** Longer than the longest reading and the storing of its result. */
const leaseMs = feedDeadlineMs + 10 * minuteMs;

/** The maximum pause between two searches for due feeds, in milliseconds. */
const maxPauseMs = 5_000;

/** Consecutive readings after which a feed that shrank by more than half is accepted. */
const believedShrinks = 3;

type FeedOptions = { maxCpuMs?: number };

/**
 * Starts the job that reads each external feed of listings every PARTNER_POLL_MS, and failed feeds after increasing
 * delays. No request waits for the job. Several processes can share the work.
 *
 * @param options.maxCpuMs - Maximum CPU time of a reading, in milliseconds; default: `maxFeedCpuMs`.
 */
export function readListingFeeds(deps: Deps, untrustedFetch: UntrustedFetch, options: FeedOptions = {}): Job {
  const { config, db } = deps;
  const feeds = listFeeds(config);
  let isPrepared = false;

  const run = async (signal: AbortSignal) => {
    if (!isPrepared) await prepareFeeds(db.api, feeds);
    isPrepared = true;
    const process = (feed: Feed) => processFeed(deps, untrustedFetch, feed, { ...options, signal });
    const results = await Promise.allSettled(feeds.map(process));
    for (const result of results) if (result.status === "rejected") throw result.reason;
    if (feeds.length > 0) await reportStates(deps);
    return false;
  };
  return repeat(deps, { name: "listing feeds", pauseMs: Math.min(config.PARTNER_POLL_MS, maxPauseMs), run });
}

async function processFeed(
  deps: Deps,
  untrustedFetch: UntrustedFetch,
  feed: Feed,
  options: FeedOptions & { signal: AbortSignal },
): Promise<void> {
  const { signal } = options;
  const { db, metrics, log, config } = deps;
  const { source } = feed;
  const claim = await claimFeed(db.api, source, leaseMs);
  if (claim === null) return;
  let result: FeedResult;
  const work = createFeedWork(options);
  try {
    const fetched = await fetchListingFeed(untrustedFetch, feed, { previous: claim, work, signal });
    result =
      fetched === "unchanged"
        ? { outcome: "unchanged" }
        : { ...(await applyFeed(deps, source, claim, fetched.listings, { work, signal })), ...pick(fetched) };
  } catch (error) {
    if (signal.aborted) {
      await releaseFeed(db.api, source, claim);
      return;
    }
    if (!(error instanceof UntrustedFetchError || error instanceof FeedError)) {
      // Releases the claim after a fault of ours, such as an unavailable database, to retry before the lease ends.
      await releaseFeed(db.api, source, claim).catch(() => undefined);
      throw error;
    }
    result = { outcome: "failed", error: error.code };
    log.warn({ source, code: error.code, attempt: claim.attempt }, "listing feed failed");
  }
  if (result.outcome === "held_back") log.warn({ source, readings: claim.shrunk + 1 }, "listing feed held back");
  metrics.listingFeeds.inc({ source, outcome: result.outcome });
  const poll = config.PARTNER_POLL_MS;
  const retry = Math.min(minuteMs * 5 ** Math.min(claim.attempt - 1, 5), poll);
  await finishFeed(db.api, source, claim, result, result.outcome === "failed" ? retry : poll);
}

const pick = ({
  skipped,
  etag,
  lastModified,
}: {
  skipped: number;
  etag: string | null;
  lastModified: string | null;
}) => ({
  skipped,
  etag,
  lastModified,
});

/**
 * Stores the listings of a feed and removes the listings that the feed no longer contains. Writes in parts, so that
 * other writers do not wait long. The next reading completes an interrupted reading.
 */
async function applyFeed(
  { db }: Deps,
  source: Feed["source"],
  claim: FeedClaim,
  listings: ReadonlyMap<string, ExternalListing>,
  { work, signal }: { work: FeedWork; signal: AbortSignal },
): Promise<{ outcome: "stored" | "held_back" }> {
  const stored = await listStored(db.api, source);
  const isShrunk = listings.size * 2 < stored.size;
  if (isShrunk && claim.shrunk + 1 < believedShrinks) return { outcome: "held_back" };
  const feedIds = new Set<string>();
  const changed: HashedListing[] = [];
  for (const [feedId, { listing }] of listings) {
    const id = `${source}:${feedId}`;
    feedIds.add(id);
    const bodyHash = await work(() => hashJson(listing).toString("hex"));
    if (stored.get(id)?.bodyHash !== bodyHash) changed.push({ id, bodyHash, listing });
  }
  const gone = [...stored].filter(([id, { blocked }]) => !blocked && !feedIds.has(id)).map(([id]) => id);
  for (let at = 0; at < gone.length; at += listingsPerStatement) {
    signal.throwIfAborted();
    await removeExternal(db.api, gone.slice(at, at + listingsPerStatement));
  }
  for (let at = 0; at < changed.length; at += listingsPerStatement) {
    signal.throwIfAborted();
    await storeExternal(db.api, source, changed.slice(at, at + listingsPerStatement));
  }
  return { outcome: "stored" };
}

/** Sets the gauges of the sources. */
async function reportStates({ db, metrics, config, clock }: Deps): Promise<void> {
  metrics.listingFeedError.reset();
  for (const { source, fetched_at, error, skipped } of await listFeedStates(db.api)) {
    const isFresh = fetched_at !== null && clock.now() - fetched_at.getTime() <= getStaleMs(config);
    metrics.listingFeedStale.set({ source }, isFresh ? 0 : 1);
    metrics.listingFeedSkipped.set({ source }, skipped);
    if (error !== null) metrics.listingFeedError.set({ source, code: error }, 1);
  }
}
