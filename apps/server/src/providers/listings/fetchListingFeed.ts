import type { ExternalListing } from "@slipway/protocol/listing";
import type { Raw } from "../../chain/rpcPool.ts";
import type { FeedFormat } from "../../listingSettings.ts";
import { isLoopbackUrl } from "../../settingTypes.ts";
import type { UntrustedFetch, UntrustedResponse } from "../untrustedFetch/untrustedFetch.ts";
import { UntrustedFetchError } from "../untrustedFetch/untrustedFetchError.ts";
import type { FeedWork } from "./createFeedWork.ts";
import { FeedError } from "./feedError.ts";
import type { FeedParser } from "./feedParser.ts";
import { jsonFeed } from "./jsonFeed.ts";
import type { FeedSource } from "./rawFields.ts";
import { schemaOrg } from "./schemaOrg.ts";
import { tokenList } from "./tokenList.ts";

/** The parser of each feed format. */
const feedParsers: Record<FeedFormat, FeedParser> = {
  "json-feed": jsonFeed,
  "schema-org": schemaOrg,
  "token-list": tokenList,
};

/** The current content of a feed; `unchanged` when its validators still match. */
export type FetchedFeed =
  | "unchanged"
  | { listings: Map<string, ExternalListing>; skipped: number; etag: string | null; lastModified: string | null };

const limits = {
  maxBytes: 8 * 1024 * 1024,
  deadlineMs: 30_000,
  accept: ["application/json", "application/ld+json", "application/feed+json", "text/json", "text/plain"],
};

export const maxFeedPages = 50;
export const maxFeedEntries = 50_000;

/** Maximum duration of the requests of a feed, in milliseconds. */
export const feedDeadlineMs = limits.deadlineMs * maxFeedPages;

/** Longer validators are not stored. */
const maxValidatorLength = 256;

/**
 * Reads all pages of a feed. Counts and skips an entry that cannot be listed, or whose id an earlier entry has.
 *
 * @param options.previous - Validators of the last stored read, for a conditional request.
 * @param options.work - Runs each part that depends on the content of the feed.
 * @throws UntrustedFetchError, FeedError: an incomplete feed returns nothing.
 */
export async function fetchListingFeed(
  untrustedFetch: UntrustedFetch,
  feed: { url: string; format: FeedFormat; name: string },
  options: {
    previous: { etag: string | null; lastModified: string | null };
    work: FeedWork;
    signal: AbortSignal;
  },
): Promise<FetchedFeed> {
  const { signal, previous, work } = options;
  const request = { ...limits, ...(isLoopbackUrl(feed.url) && { loopbackOrigin: new URL(feed.url).origin }), signal };
  const first = await untrustedFetch(feed.url, { ...request, headers: toConditions(previous) });
  if (first.status === 304) return "unchanged";

  const parser = feedParsers[feed.format];
  const listings = new Map<string, ExternalListing>();
  let [skipped, seen] = [0, 0];
  let source: FeedSource | null = null;
  let response = first;
  for (let pages = 1; ; pages++) {
    const { bytes } = requireFound(response);
    const page = await work(() => parser.readPage(parseDocument(bytes)));
    if (page === null) throw new FeedError("wrong_format");
    source ??= { name: page.name ?? feed.name, licence: page.licence };
    const origin = source;
    for (const entry of page.entries) {
      if (++seen > maxFeedEntries) throw new FeedError("too_many_entries");
      const listed = await work(() => parser.readEntry(entry, origin));
      if (listed === null || listings.has(listed.id)) skipped++;
      else listings.set(listed.id, listed);
    }
    if (page.next === null) break;
    if (pages === maxFeedPages) throw new FeedError("too_many_pages");
    response = await untrustedFetch(getNextUrl(page.next, response.finalUrl), request);
  }
  const isOnePage = response === first;
  return {
    listings,
    skipped,
    // The validators of the first page do not cover the other pages.
    etag: isOnePage ? toValidator(first.headers.etag) : null,
    lastModified: isOnePage ? toValidator(first.headers["last-modified"]) : null,
  };
}

function toConditions({ etag, lastModified }: { etag: string | null; lastModified: string | null }) {
  return {
    ...(etag === null ? {} : { "if-none-match": etag }),
    ...(lastModified === null ? {} : { "if-modified-since": lastModified }),
  };
}

function requireFound(response: UntrustedResponse): UntrustedResponse {
  const { status } = response;
  if (status === 200) return response;
  const retryable = status >= 500 || status === 408 || status === 429;
  throw new UntrustedFetchError("bad_status", `it answered ${status}`, { retryable });
}

function parseDocument(bytes: Uint8Array): Raw<unknown> {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw new FeedError("not_json", { cause: error });
  }
}

/** Returns the URL of the next page, which must have the same origin: a feed may not contain pages of another site. */
function getNextUrl(next: string, current: string): string {
  const url = URL.parse(next, current);
  if (url === null || url.origin !== new URL(current).origin) throw new FeedError("foreign_page");
  return url.href;
}

function toValidator(value: string | undefined): string | null {
  return value === undefined || value.length > maxValidatorLength || !/^[\x20-\x7e]+$/.test(value) ? null : value;
}
