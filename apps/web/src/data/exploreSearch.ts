import type { IndexedToken, SortDirection } from "@slipway/protocol/indexed";

export const sorts = [
  ...(["volume", "market_cap", "new", "gainers"] as const),
  ...(["losers", "liquidity", "trades", "last_trade"] as const),
];
export const lists = ["all", "live", "favourites"] as const;

/** The search parameters of explore. Filters are whole numbers as text. */
export type ExploreSearch = {
  q?: string;
  sort?: (typeof sorts)[number];
  /** Without it, the order's own direction. */
  direction?: SortDirection;
  list?: "live" | "favourites";
  /** The maximum age in hours. */
  age?: string;
  /** The minimum liquidity and volume of 24 hours in USD. */
  liq?: string;
  vol?: string;
  holders?: string;
  /** The minimum price change of 24 hours in percent; can be negative. */
  change?: string;
  creator?: string;
};

export const filterNames = ["age", "liq", "vol", "holders", "change", "creator"] as const;

/** Tokens of a page. */
const pageSize = 50;

/** Returns the input of `listTokens`. Holders and change are compared in the page (`isShown`). */
export const toTokensInput = ({ q, sort = "volume", direction, age, liq, vol, creator }: ExploreSearch) => ({
  sort,
  limit: pageSize,
  ...(direction && { direction }),
  ...(q && { q }),
  ...(age && { max_age_seconds: Number(age) * 3_600 }),
  ...(liq && { min_liquidity_usd: Number(liq) }),
  ...(vol && { min_volume_usd_24h: Number(vol) }),
  ...(creator && { creator }),
});

/** Whether a token has the number of holders and the price change of the filters. */
export const isShown = (token: IndexedToken, { holders, change }: ExploreSearch): boolean =>
  (!holders || (token.holders ?? 0) >= Number(holders)) &&
  (!change || (token.price_change_24h_pct !== null && token.price_change_24h_pct >= Number(change)));
