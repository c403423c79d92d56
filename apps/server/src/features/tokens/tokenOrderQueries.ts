import type { SortDirection } from "@slipway/protocol/indexed";

/** An order of the token list: a column with an index, and a column that orders equal values. */
type TokenOrder = {
  table: "chain.token_state s" | "chain.tokens t";
  id: string;
  value: string;
  /** The type of the value in SQL. */
  type: string;
  tie: string;
  /** The column of chain.tokens that has the tie. */
  tieOfToken: "id" | "log_index";
  direction: SortDirection;
  /** Whether the value can be unknown; unknown values come last. */
  nullable: boolean;
};

function createStateOrder(
  column: string,
  type: string,
  { direction = "desc", nullable = false }: Partial<Pick<TokenOrder, "direction" | "nullable">> = {},
): TokenOrder {
  return {
    table: "chain.token_state s",
    id: "s.token_id",
    value: `s.${column}`,
    type,
    tie: "s.token_id",
    tieOfToken: "id",
    direction,
    nullable,
  };
}

/** The orders of the token list. `volume_quote` replaces `volume` where no USD price exists. */
export const tokenOrders = {
  volume: createStateOrder("volume_24h_usd", "numeric", { nullable: true }),
  volume_quote: createStateOrder("volume_24h_quote", "numeric"),
  market_cap: createStateOrder("market_cap", "double precision"),
  gainers: createStateOrder("change_24h_pct", "double precision"),
  losers: createStateOrder("change_24h_pct", "double precision", { direction: "asc" }),
  liquidity: createStateOrder("liquidity_quote", "double precision", { nullable: true }),
  trades: createStateOrder("trades_24h", "integer"),
  last_trade: createStateOrder("last_trade_time", "bigint", { nullable: true }),
  new: {
    table: "chain.tokens t",
    id: "t.id",
    value: "t.block_number",
    type: "bigint",
    tie: "t.log_index",
    tieOfToken: "log_index",
    direction: "desc",
    nullable: false,
  },
} as const satisfies Record<string, TokenOrder>;

export type ListSort = keyof typeof tokenOrders;

/** An order, and the direction of its values and ties; without a direction, that of `tokenOrders`. */
export type ListOrder = { sort: ListSort; direction?: SortDirection | undefined };

/** The place of a token in an order: its value as text, null if unknown, and its lower-case address. */
export type TokenPlace = { value: string | null; address: string };

/** SQL of the part of an order after a place; `tie` is SQL of the tie of the place's token. */
type PlaceSql = { value: string | null; tie: string };

const toOrder = ({ sort, direction }: ListOrder): TokenOrder => ({
  ...tokenOrders[sort],
  ...(direction && { direction }),
});

const toOrderBy = ({ direction, nullable }: TokenOrder, value: string, tie: string, nulls: "first" | "last" = "last") =>
  `order by ${value} ${direction}${nullable ? ` nulls ${nulls}` : ""}, ${tie} ${direction}`;

/** SQL that orders rows with the columns `value` and `tie`. */
export const orderRows = (order: ListOrder, row: string) => toOrderBy(toOrder(order), `${row}.value`, `${row}.tie`);

/** SQL of the columns `value` and `tie` of the token with an id. */
export function selectOrderColumns({ sort }: ListOrder, id: string): string {
  const order: TokenOrder = tokenOrders[sort];
  return `(select ${order.value} as value, ${order.tie} as tie from ${order.table} where ${order.id} = ${id} limit 1)`;
}

const toBeyond = ({ direction }: TokenOrder) => (direction === "desc" ? "<" : ">");

const isBeyond = (order: TokenOrder, value: string, tie: string, place: PlaceSql) =>
  `(${value}, ${tie}) ${toBeyond(order)} (${place.value}::${order.type}, ${place.tie})`;

/** SQL of whether a row with the columns `value` and `tie` is after a place. */
export function isAfterPlace(listOrder: ListOrder, row: string, place: PlaceSql): string {
  const order = toOrder(listOrder);
  if (place.value === null) return `(${row}.value is null and ${row}.tie ${toBeyond(order)} ${place.tie})`;
  const beyond = isBeyond(order, `${row}.value`, `${row}.tie`, place);
  return order.nullable ? `(${beyond} or ${row}.value is null)` : beyond;
}

/**
 * SQL of `id`, `value` and `tie` of the first tokens of an order, in the order of its index. A part with unknown values is
 * a scan of its own, because a comparison of rows does not find nulls, and because an ascending scan reads the index
 * backward, where nulls are first.
 *
 * @param scan.after - Null: from the start.
 * @param scan.where - A condition on the id.
 * @param scan.limit - The number of tokens; with `offset`, the number after the skipped ones, which is 1.
 */
export function scanOrder(
  listOrder: ListOrder,
  scan: { after: PlaceSql | null; where?: (id: string) => string; limit: string; offset?: number },
): string {
  const { after, where = () => "true", limit, offset } = scan;
  const order = toOrder(listOrder);
  const { table, id, value, tie, direction, nullable } = order;
  const range = offset === undefined ? `limit ${limit}` : `limit ${limit} offset ${offset}`;
  const indexOrder = toOrderBy(order, value, tie, direction === "desc" ? "last" : "first");
  const createScan = (condition: string, part: string) =>
    `select ${id} as id, ${value} as value, ${tie} as tie from ${table} where ${condition} and ${where(id)}
     ${indexOrder} ${part}`;
  if (after === null && (!nullable || direction === "desc")) return createScan("true", range);
  const unknown = `${value} is null${after?.value === null ? ` and ${tie} ${toBeyond(order)} ${after.tie}` : ""}`;
  if (after?.value === null) return createScan(unknown, range);
  const known = after === null ? `${value} is not null` : isBeyond(order, value, tie, after);
  if (!nullable) return createScan(known, range);
  const most = offset === undefined ? `limit ${limit}` : `limit ${offset + 1}`;
  return `select * from ((${createScan(known, most)}) union all (${createScan(unknown, most)})) o
    ${orderRows(listOrder, "o")} ${range}`;
}
