import type { ExternalListing } from "@slipway/protocol/listing";
import type { Raw } from "../../chain/rpcPool.ts";
import type { FeedSource } from "./rawFields.ts";

/** A page of a feed: entries that may be anything, and what is said of them all. */
export type FeedPage = {
  entries: readonly unknown[];
  next: string | null;
  name: string | null;
  licence: string | null;
};

/** How one format is read. */
export type FeedParser = {
  /** @returns Null for a document that is no feed of this format. */
  readPage(document: Raw<unknown>): FeedPage | null;
  /** @returns Null for an entry that cannot be listed. */
  readEntry(entry: unknown, source: FeedSource): ExternalListing | null;
};
