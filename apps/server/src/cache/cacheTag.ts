import type { OutboxChange } from "../live/queries.ts";

/**
 * What an answer depends on.
 * - `tokens`: any row of the token lists
 * - `token:<lower-case address>`: one token's figures, trades or candles
 * - `eth_usd`: the last ETH/USD observation
 * - `minute`: the minute that 24 h windows end with
 * - `block`: how far the index and the head are
 */
export type Tag = "tokens" | "eth_usd" | "minute" | "block" | `token:${string}`;

/** Everything, e.g. after a backfill step or when changes were missed. */
export const everything = "everything";

/** The tag of a token by its address in any case. */
export function tokenTag(address: string): Tag {
  return `token:${address.toLowerCase()}`;
}

/** What an outbox row says has changed. A kind that this version does not know may mean anything. */
export function tagsOf(change: OutboxChange): readonly Tag[] | typeof everything {
  switch (change.kind) {
    case "launch":
    case "trade":
    case "candle":
      return change.token === null ? everything : ["tokens", tokenTag(change.token)];
    case "state":
      return change.tokens === null ? everything : ["tokens", ...change.tokens.map(tokenTag)];
    case "retracted":
      // An observation of ETH/USD may have gone with the blocks.
      return change.tokens === null ? everything : ["tokens", "eth_usd", ...change.tokens.map(tokenTag)];
    case "eth_usd":
      return ["eth_usd"];
    default:
      return everything;
  }
}
