import type { ExternalListing } from "@slipway/protocol/listing";
import type { Raw } from "../../chain/rpcPool.ts";
import type { FeedSource } from "./rawFields.ts";

/** A page of a feed: its untrusted entries, and the fields that apply to all of them. */
export type FeedPage = {
  entries: readonly unknown[];
  next: string | null;
  name: string | null;
  licence: string | null;
};

/** Reads one format of feeds. */
export type FeedParser = {
  /** @returns Null for a document that is not a feed of this format. */
  readPage(document: Raw<unknown>): FeedPage | null;
  /** @returns Null for an entry that cannot be listed. */
  readEntry(entry: unknown, source: FeedSource): ExternalListing | null;
};
