import type { OutboxChange } from "../live/outboxEvent.ts";

/**
 * A dependency of a cached response.
 * - `tokens`: any row of the token lists
 * - `token:<lower-case address>`: one token's values, trades or candles
 * - `eth_usd`: the ETH/USD price or its last observation
 * - `minute`: the minute with which 24 h windows end. A value that depends on the time reads `block_time` of
 *   `chain.checkpoint` in the same statement and has this tag
 * - `block`: the last indexed block and the head
 * - `openings`: the blocked openings
 */
export type CacheTag = "tokens" | "eth_usd" | "minute" | "block" | "openings" | `token:${string}`;

/** All tags, e.g. after a step of the backfill or after missed changes. */
export const everything = "everything";

/** Returns the tag of a token. The address may be in any case. */
export function toTokenTag(address: string): CacheTag {
  return `token:${address.toLowerCase()}`;
}

/** Returns the tags that an outbox event invalidates. */
export function getChangedTags(change: OutboxChange): readonly CacheTag[] | typeof everything {
  switch (change.kind) {
    case "launch":
    case "trade":
    case "candle":
      return ["tokens", toTokenTag(change.token)];
    case "state":
      return ["tokens", ...change.tokens.map(toTokenTag)];
    case "retracted":
      // The retracted blocks may have contained an ETH/USD observation.
      return ["tokens", "eth_usd", ...change.tokens.map(toTokenTag)];
    case "eth_usd":
      return ["eth_usd"];
    case "signal":
    case "fees":
    case "risk":
    // Responses about openings have the tag `block`.
    case "opening":
      return [];
    case "batch":
    case "unknown":
      return everything;
  }
}
