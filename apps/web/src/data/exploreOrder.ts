import type { SortDirection } from "@slipway/protocol/indexed";
import type { ExploreSearch } from "./exploreSearch.ts";

/** An order and its direction in the URL; the defaults are left out. */
export type ExploreOrder = Pick<ExploreSearch, "sort" | "direction">;

/** The orders of the columns of the token table. */
export const columnSorts: Readonly<Record<string, ExploreSearch["sort"]>> = {
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
