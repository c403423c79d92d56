import type { Address } from "viem";

/** `fresh`: bars are current. `stale`: at least two hours behind. `unavailable`: at least six hours, or no bars. */
export type MarketStatus = "fresh" | "stale" | "unavailable";

/** Why a market is unavailable. `gap`: the source has no recent bars. `too_short`: too few bars for a computation. */
export type MarketReason = "source_down" | "no_data" | "gap" | "too_short";

export type Market = {
  id: number;
  pair: string;
  base: string;
  quote: string;
  /** The token's symbol for a pool, which any account can choose; otherwise the base. */
  symbol: string;
  /** The launch token of a pool, lower case. */
  token: Address | null;
  source: "pool" | "exchange" | "import";
  exchange: string | null;
  status: MarketStatus;
  /** Null unless the market is unavailable. */
  reason: MarketReason | null;
  /** Unix seconds of the opens of the first and the last closed hour. */
  firstBarAt: number | null;
  lastBarAt: number | null;
};

/** Maximum ages of the last closed hour, in seconds since its close. */
const freshSeconds = 2 * 3600;
const staleSeconds = 6 * 3600;

/** Inputs of a market's status. */
export type MarketFacts = {
  source: Market["source"];
  /** Unix seconds of the open of the last closed hour. */
  lastBarAt: number | null;
  /** Whether the last request to the source failed. */
  isFailing: boolean;
  /** Unix seconds up to which the index has the bars of pools, with or without trades; null without an index. */
  indexedThrough: number | null;
};

/**
 * Decides the status of a market by its age. A pool without trades has an unchanged price, so a pool's age is the age
 * of the index. The age of another market is the age of its last closed hour.
 */
export function judgeMarket(facts: MarketFacts, nowSeconds: number): Pick<Market, "status" | "reason"> {
  const { source, lastBarAt } = facts;
  const isPool = source === "pool";
  const isDown = isPool ? facts.indexedThrough === null : facts.isFailing;
  if (lastBarAt === null) return { status: "unavailable", reason: isDown ? "source_down" : "no_data" };
  const through = isPool ? facts.indexedThrough : lastBarAt + 3600;
  const age = through === null ? Number.POSITIVE_INFINITY : nowSeconds - through;
  if (age <= freshSeconds) return { status: "fresh", reason: null };
  if (age <= staleSeconds) return { status: "stale", reason: null };
  if (isPool) return { status: "unavailable", reason: "source_down" };
  return { status: "unavailable", reason: isDown ? "source_down" : "gap" };
}
