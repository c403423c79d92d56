import { setImmediate } from "node:timers/promises";
import type { ExternalListing } from "@slipway/protocol/listing";
import type { Raw } from "../../chain/rpcPool.ts";
import type { FeedFormat } from "../../listingSettings.ts";
import { isLoopbackUrl } from "../../settingTypes.ts";
import type { UntrustedFetch, UntrustedResponse } from "../untrustedFetch/untrustedFetch.ts";
import { UntrustedFetchError } from "../untrustedFetch/untrustedFetchError.ts";
import type { FeedParser } from "./feedParser.ts";
import { jsonFeed } from "./jsonFeed.ts";
import type { FeedSource } from "./rawFields.ts";
import { schemaOrg } from "./schemaOrg.ts";
import { tokenList } from "./tokenList.ts";

/** How each format of feeds is read. */
const feedParsers: Record<FeedFormat, FeedParser> = {
  "json-feed": jsonFeed,
  "schema-org": schemaOrg,
  "token-list": tokenList,
};

/** What a feed holds now; `unchanged` when its validators still match. */
export type FetchedFeed =
  | "unchanged"
  | { listings: Map<string, ExternalListing>; skipped: number; etag: string | null; lastModified: string | null };

/** Why a document is no feed. Each is a code that the directory shows. */
export type FeedFault = "not_json" | "wrong_format" | "too_many_pages" | "too_many_entries" | "foreign_page";

/** A document that is no feed of its format, or too large a one. */
export class FeedError extends Error {
  override name = "FeedError";
  readonly code: FeedFault;

  constructor(code: FeedFault, options?: ErrorOptions) {
    super(`the feed cannot be read: ${code}`, options);
    this.code = code;
  }
}

const limits = {
  maxBytes: 8 * 1024 * 1024,
  deadlineMs: 30_000,
  accept: ["application/json", "application/ld+json", "application/feed+json", "text/json", "text/plain"],
};

export const maxFeedPages = 50;
export const maxFeedEntries = 50_000;

/** The longest duration of a reading in milliseconds. */
export const feedDeadlineMs = limits.deadlineMs * maxFeedPages;

/** Entries between which other work of the process goes on. */
const entriesPerTurn = 100;

/** Longer validators are not stored. */
const maxValidatorLength = 256;

/**
 * Reads a feed, all its pages. An entry that cannot be listed is counted and left out, and so is one whose id an earlier
 * one has.
 *
 * @param options.previous - Validators of the stored reading, for a conditional request.
 * @throws UntrustedFetchError, FeedError: of a feed that is not complete nothing is returned.
 */
export async function fetchListingFeed(
  untrustedFetch: UntrustedFetch,
  feed: { url: string; format: FeedFormat; name: string },
  options: { previous: { etag: string | null; lastModified: string | null }; signal: AbortSignal },
): Promise<FetchedFeed> {
  const { signal, previous } = options;
  const request = { ...limits, ...(isLoopbackUrl(feed.url) && { loopbackOrigin: new URL(feed.url).origin }), signal };
  const first = await untrustedFetch(feed.url, { ...request, headers: toConditions(previous) });
  if (first.status === 304) return "unchanged";

  const parser = feedParsers[feed.format];
  const listings = new Map<string, ExternalListing>();
  let [skipped, seen] = [0, 0];
  let source: FeedSource | null = null;
  let response = first;
  for (let pages = 1; ; pages++) {
    const page = parser.readPage(parseDocument(response));
    if (page === null) throw new FeedError("wrong_format");
    source ??= { name: page.name ?? feed.name, licence: page.licence };
    for (const entry of page.entries) {
      if (++seen > maxFeedEntries) throw new FeedError("too_many_entries");
      if (seen % entriesPerTurn === 0) await setImmediate(undefined, { signal });
      const listed = parser.readEntry(entry, source);
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
    // The validators of a first page say nothing of the others.
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

function parseDocument({ status, bytes }: UntrustedResponse): Raw<unknown> {
  if (status !== 200) {
    const retryable = status >= 500 || status === 408 || status === 429;
    throw new UntrustedFetchError("bad_status", `it answered ${status}`, { retryable });
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw new FeedError("not_json", { cause: error });
  }
}

/** The next page, which must be of the same origin: a feed does not speak for another one. */
function getNextUrl(next: string, current: string): string {
  const url = URL.parse(next, current);
  if (url === null || url.origin !== new URL(current).origin) throw new FeedError("foreign_page");
  return url.href;
}

function toValidator(value: string | undefined): string | null {
  return value === undefined || value.length > maxValidatorLength || !/^[\x20-\x7e]+$/.test(value) ? null : value;
}
