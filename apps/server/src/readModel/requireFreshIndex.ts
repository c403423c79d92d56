import { SlipwayError } from "@slipway/protocol/errors";
import type { IndexStatus } from "../db/indexStatus.ts";

/** How far the index may be behind the head, in seconds of block time, before its figures are called stale. */
export const freshLagSeconds = 30;

/** How long the leading indexer may be silent, in milliseconds, before nobody knows how far behind the index is. */
export const freshSilenceMs = 15_000;

/** The index while its rows may be shown: everything about it is known. */
export type FreshIndex = {
  state: "live";
  fromBlock: number;
  indexedBlock: number;
  indexedTime: number;
  headBlock: number;
  headTime: number;
  lagSeconds: number;
};

/** A reason written for operators can quote an endpoint, whose URL can hold a key. */
function withoutUrls(reason: string): string {
  return reason.replace(/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, "[endpoint]");
}

/** Why the index may not be shown as the present, or null when it may. */
export function staleReason(status: IndexStatus): string | null {
  switch (status.state) {
    case "missing":
      return "The chain has not been indexed yet.";
    case "starting":
      return "The indexer is starting.";
    case "backfilling":
      return `The index is being built: block ${status.indexedBlock} of ${status.headBlock}.`;
    case "halted":
      return `The indexer has stopped${status.reason === null ? "" : `: ${withoutUrls(status.reason)}`}.`;
    case "live":
      if (status.silentMs === null || status.silentMs > freshSilenceMs) {
        return "The indexer has not reported for a while; what it knows may be old.";
      }
      if (status.lagSeconds === null || status.lagSeconds > freshLagSeconds) {
        return `The index is ${status.lagSeconds} seconds behind the chain's head.`;
      }
      return null;
  }
}

/**
 * Lets indexed data be read only while it is the present: stale is unavailable, never shown as fresh.
 *
 * @throws SlipwayError `index_unavailable` with the reason.
 */
export function requireFreshIndex(status: IndexStatus): FreshIndex {
  const reason = staleReason(status);
  if (reason !== null) throw new SlipwayError("index_unavailable", reason);
  return status as FreshIndex;
}
