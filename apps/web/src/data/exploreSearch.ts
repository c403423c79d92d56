import type { IndexedToken, SortDirection } from "@slipway/protocol/indexed";

export const sorts = [
  ...(["volume", "market_cap", "new", "gainers"] as const),
  ...(["losers", "liquidity", "trades", "last_trade"] as const),
];
export const lists = ["all", "live", "favourites"] as const;

export const sortDirections = ["asc", "desc"] as const satisfies readonly SortDirection[];
type ListSort = (typeof sorts)[number];

/** The search parameters of explore. Filters are whole numbers as text. */
export type ExploreSearch = {
  q?: string;
  sort?: ListSort;
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

/** An order and its direction in the URL; the defaults are left out. */
export type ExploreOrder = Pick<ExploreSearch, "sort" | "direction">;

/** The orders of the columns of the token table. */
export const columnSorts: Readonly<Record<string, ListSort>> = {
  change: "gainers",
  volume: "volume",
  marketCap: "market_cap",
  liquidity: "liquidity",
  age: "new",
};

export const getDirection = ({ sort, direction }: ExploreOrder): SortDirection =>
  direction ?? (sort === "losers" ? "asc" : "desc");

/** Returns the reverse of an order. Gainers and losers are the reverse of each other. */
export function reverseOrder(order: ExploreOrder): ExploreOrder {
  const isAscending = getDirection(order) === "desc";
  if (order.sort === "gainers" || order.sort === "losers") {
    return { sort: isAscending ? "losers" : "gainers", direction: undefined };
  }
  return { sort: order.sort, direction: isAscending ? "asc" : undefined };
}

/** Returns the direction in which a column orders the table; null if another column does. */
export function getColumnDirection(key: string, order: ExploreOrder): SortDirection | null {
  const sort = order.sort === "losers" ? "gainers" : (order.sort ?? "volume");
  return columnSorts[key] === sort ? getDirection(order) : null;
}

/** Returns the order after a press on a column's header: the column's order, or its reverse. */
export const pressColumn = (key: string, order: ExploreOrder): ExploreOrder =>
  getColumnDirection(key, order) === null ? { sort: columnSorts[key], direction: undefined } : reverseOrder(order);

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
