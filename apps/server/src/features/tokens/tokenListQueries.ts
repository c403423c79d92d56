import { maxCountedMatches } from "@slipway/protocol/searchLimits";
import type { Queryable } from "../../db/database.ts";
import { type TokenRow, tokenColumns, tokenJoins } from "./queries.ts";
import { matchSelection, selectTokens, type TokenFilters, type TokenSelection } from "./tokenFilterQueries.ts";
import {
  isAfterPlace,
  type ListOrder,
  orderRows,
  scanOrder,
  selectOrderColumns,
  type TokenPlace,
  tokenOrders,
} from "./tokenOrderQueries.ts";

/** The place after which a page begins: featured tokens come first, both groups in the list's order. */
export type ListPlace = TokenPlace & { featured: boolean };

export type ListedToken = TokenRow & { featured: boolean };

export type TokenListPage = {
  tokens: ListedToken[];
  total: number;
  /** Null on the last page. */
  next: ListPlace | null;
};

export type TokenListQuery = ListOrder & {
  /** Lower-case addresses. */
  featured: readonly string[];
  /** Text that name, symbol or address contains, in any case; null for all tokens. */
  search: string | null;
  filters: TokenFilters;
  limit: number;
  /** Null: the first page. */
  after: ListPlace | null;
};

type PageRow = {
  total: number;
  is_place_known: boolean;
  examined: TokenPlace | null;
} & ((ListedToken & { place_value: string | null }) | { featured: null });

/** SQL of the blocked tokens, which no list contains. */
const hiddenTokens = `
  hidden as materialized (
    select t.id from app.blocked_tokens b join chain.tokens t on t.address = b.token where b.blocked_at is not null
  )`;

/**
 * Lists a page of tokens, featured tokens first, each group in the sort's order. A page examines a bounded number of
 * tokens: if few of them meet the conditions, the page is short and `next` continues after the last examined token.
 *
 * The `total` of a search or of filters is `maxCountedMatches` at most.
 *
 * @returns `expired` if the token of `after` is not indexed.
 */
export async function listTokens(db: Queryable, query: TokenListQuery): Promise<TokenListPage | "expired"> {
  const { sort, direction = "", limit, after } = query;
  const selection = await selectTokens(db, query.search, query.filters);
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const text = createText(query, selection, bind);
  const part =
    after === null ? "" : `-after-${after.featured ? "featured-" : ""}${after.value === null ? "null" : "value"}`;
  const { rows } = await db.query<PageRow>({
    // Without conditions. Otherwise the best plan depends on how common they are.
    ...(selection === null ? { name: `tokens-${sort}${direction}${part}` } : {}),
    text,
    values,
  });
  const [{ total, is_place_known: isPlaceKnown, examined }] = rows as [PageRow];
  if (!isPlaceKnown) return "expired";
  const found = rows.filter((row): row is Extract<PageRow, { featured: boolean }> => row.featured !== null);
  const tokens = found.slice(0, limit);
  const last = found.length > limit ? tokens.at(-1)! : null;
  const next = last === null ? examined && { ...examined, featured: false } : toPlace(last);
  return { tokens, total, next };
}

const toPlace = ({ place_value: value, address, featured }: ListedToken & { place_value: string | null }) => ({
  value,
  address,
  featured,
});

function createText(query: TokenListQuery, selection: TokenSelection | null, bind: (value: unknown) => string): string {
  const { after, limit } = query;
  const { tieOfToken } = tokenOrders[query.sort];
  const count = bind(limit + 1);
  const featured = bind(query.featured);
  const place = after && {
    value: after.value === null ? null : bind(after.value),
    tie: "(select tie from at)",
  };
  const at =
    after &&
    `at as materialized (select ${tieOfToken} as tie from chain.tokens where address = ${bind(after.address)}),`;
  const matches = selection === null ? () => "true" : matchSelection(selection, bind);
  const ids = selection?.ids == null ? null : bind(selection.ids);
  const isListed = (id: string) => `${id} <> all (array(select id from featured union all select id from hidden))`;
  // Featured tokens come before all others.
  const start = after === null || after.featured ? null : place;
  const featuredRows =
    after !== null && !after.featured
      ? ""
      : `select f.id, o.value, o.tie, true as featured from featured f
         cross join lateral ${selectOrderColumns(query, "f.id")} o
         ${place === null ? "" : `where ${isAfterPlace(query, "o", place)}`}
         union all`;
  const others = createOthers(query, { selection, ids, matches, isListed, start, count });
  return `
    with ${hiddenTokens}, ${at ?? ""} ${ids === null ? "" : createMatching(ids, matches)}
    featured as materialized (
      select k.id from chain.tokens k where k.address = any(${featured})
        and ${ids === null ? `k.id <> all (array(select id from hidden)) and ${matches("k.id")}` : "k.id in (select id from matching)"}
    ),
    picked as materialized (
      ${featuredRows} select x.*, false as featured from (${others}) x
    )
    select ${createTotal(selection)} as total, ${at === null ? "true" : "exists (select from at)"} as is_place_known,
      ${createExamined(query, { selection, start, count })} as examined, r.*
    from (values (1)) v
    left join lateral (
      select k.featured, k.value::text as place_value,
        row_number() over (order by k.featured desc, ${orderRows(query, "k").slice("order by ".length)}) as place,
        ${tokenColumns}
      from picked k
      cross join lateral (select * from chain.tokens where id = k.id limit 1) t ${tokenJoins}
      order by place limit ${count}
    ) r on true
    order by r.place`;
}

/** SQL of the listed tokens that meet all conditions. */
const createMatching = (ids: string, matches: (id: string) => string) => `
  matching as materialized (
    select m.id from unnest(${ids}::integer[]) m(id)
    where m.id <> all (array(select id from hidden)) and ${matches("m.id")}
  ),`;

type Candidates = {
  selection: TokenSelection | null;
  /** The placeholder of `selection.ids`. */
  ids: string | null;
  matches: (id: string) => string;
  isListed: (id: string) => string;
  start: { value: string | null; tie: string } | null;
  count: string;
};

/** SQL of the tokens of a page that are not featured: `id`, `value` and `tie`. */
function createOthers(order: ListOrder, { selection, ids, matches, isListed, start, count }: Candidates): string {
  if (selection === null) return scanOrder(order, { after: start, where: isListed, limit: count });
  const rows =
    ids === null
      ? `(${scanOrder(order, { after: start, limit: String(selection.examined) })}) o where ${matches("o.id")}`
      : `(select m.id, o.* from matching m cross join lateral ${selectOrderColumns(order, "m.id")} o) o
         where ${start === null ? "true" : isAfterPlace(order, "o", start)}`;
  return `select o.id, o.value, o.tie from ${rows} and ${isListed("o.id")} ${orderRows(order, "o")} limit ${count}`;
}

/** SQL of the place of the last token that a page has examined; null if the page is full, or has examined all tokens. */
function createExamined(
  order: ListOrder,
  { selection, start, count }: Pick<Candidates, "selection" | "start" | "count">,
) {
  if (selection === null || selection.ids !== null) return "null::json";
  const last = scanOrder(order, { after: start, limit: "1", offset: selection.examined - 1 });
  return `case when (select count(*) from picked) < ${count} then (
    select json_build_object('value', o.value::text, 'address', t.address)
    from (${last}) o join chain.tokens t on t.id = o.id
  ) end`;
}

/** SQL of the number of tokens in the list. */
function createTotal(selection: TokenSelection | null): string {
  if (selection === null) {
    return `coalesce((select launches from chain.totals where seconds = 0 and t = 0), 0)
      - (select count(*) from hidden)`;
  }
  // More tokens meet each condition than are counted.
  if (selection.ids === null) return String(maxCountedMatches);
  return `least((select count(*) from matching), ${maxCountedMatches})`;
}

/** Lists tokens by address, in the order of the addresses, also blocked ones. Unknown tokens are left out. */
export async function findTokens(
  db: Queryable,
  { addresses, featured }: { addresses: readonly string[]; featured: readonly string[] },
): Promise<ListedToken[]> {
  const { rows } = await db.query<ListedToken>({
    name: "tokens-by-address",
    text: `
      select t.address = any($2) as featured, ${tokenColumns}
      from unnest($1::text[]) with ordinality a(wanted, place)
      cross join lateral (select * from chain.tokens where address = a.wanted limit 1) t ${tokenJoins}
      order by a.place`,
    values: [addresses, featured],
  });
  return rows;
}
