import type { Address } from "viem";

/** `fresh`: its bars are current. `stale`: two hours behind or more. `unavailable`: six, or none. */
export type MarketStatus = "fresh" | "stale" | "unavailable";

/** Why a market is unavailable. `gap`: its source answers and has no recent bars. `too_short`: for a computation. */
export type MarketReason = "source_down" | "no_data" | "gap" | "too_short";

export type Market = {
  id: number;
  pair: string;
  base: string;
  quote: string;
  /** The token's own symbol for a pool, which anyone can choose; otherwise the base. */
  symbol: string;
  /** The launch token of a pool, lower case. */
  token: Address | null;
  source: "pool" | "exchange" | "import";
  exchange: string | null;
  status: MarketStatus;
  /** Null unless it is unavailable. */
  reason: MarketReason | null;
  /** Unix seconds of the opens of its first and its last closed hour. */
  firstBarAt: number | null;
  lastBarAt: number | null;
};

/** How far the last closed hour may be behind, in seconds since its close. */
const freshSeconds = 2 * 3600;
const staleSeconds = 6 * 3600;

/** What decides the status of a market. */
export type MarketFacts = {
  source: Market["source"];
  /** Unix seconds of the open of the last closed hour. */
  lastBarAt: number | null;
  /** Whether the last attempt to ask its source failed. */
  isFailing: boolean;
  /** The time in Unix seconds up to which the index knows the bars of pools, with or without trades. Null without an index. */
  indexedThrough: number | null;
};

/**
 * Decides the status of a market. A pool without trades has an unchanged price: its age is that of the index. The age of
 * another market is that of its last closed hour.
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
