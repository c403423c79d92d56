import { maxExaminedTokens } from "@slipway/protocol/searchLimits";
import type { Queryable } from "../../db/database.ts";
import { createSearchPattern, searchTokenTexts } from "../../db/textSearch.ts";

/** Conditions of a token list; null: any token. Addresses are lower case. */
export type TokenFilters = {
  creator: string | null;
  partner: string | null;
  maxAgeSeconds: number | null;
  /** The lowest value of the locked position, in whole wrapped native. */
  minLiquidityQuote: number | null;
  /** The lowest volume of 24 h, in millionths of a dollar. */
  minVolumeMicros: string | null;
};

export const noFilters: TokenFilters = {
  creator: null,
  partner: null,
  maxAgeSeconds: null,
  minLiquidityQuote: null,
  minVolumeMicros: null,
};

/** A condition in SQL on `t` of chain.tokens and `s` of chain.token_state, and the index that finds its tokens. */
type FilterSql = { condition: (value: string) => string; state: boolean; order: string };

const filterSql: Record<keyof TokenFilters, FilterSql> = {
  creator: { condition: (value) => `t.creator = ${value}`, state: false, order: "t.creator, t.id" },
  partner: { condition: (value) => `t.partner = ${value}`, state: false, order: "t.partner, t.id" },
  maxAgeSeconds: {
    condition: (value) => `t.block_time >= (select block_time from chain.checkpoint) - ${value}::bigint`,
    state: false,
    order: "t.block_time desc, t.id desc",
  },
  minLiquidityQuote: {
    condition: (value) => `s.liquidity_quote >= ${value}::double precision`,
    state: true,
    order: "s.liquidity_quote desc nulls last, s.token_id desc",
  },
  minVolumeMicros: {
    condition: (value) => `s.volume_24h_usd >= ${value}::numeric`,
    state: true,
    order: "s.volume_24h_usd desc nulls last, s.token_id desc",
  },
};

/** Tokens that a filter lists by id. With more, a page examines tokens in the list's order. */
const maxListed = 2_000;
/** Tokens that a page examines if no filter is selective. */
const maxExamined = 5_000;

/** How a page finds the tokens that search and filters select. */
export type TokenSelection = {
  /** A superset of the selected tokens, as an array literal; null: the page examines tokens in the list's order. */
  ids: string | null;
  /** Selects the search text among `ids` or the examined tokens; null if `ids` already have it. */
  pattern: string | null;
  filters: TokenFilters;
  /** The maximum number of examined tokens. */
  examined: number;
};

const entriesOf = (filters: TokenFilters) =>
  (Object.entries(filters) as [keyof TokenFilters, string | number | null][]).filter(([, value]) => value !== null);

/**
 * SQL of whether the token with an id meets the conditions of a selection. The id must not be of an alias `t` or `s`.
 *
 * @param bind - Adds a parameter and returns its placeholder.
 */
export function matchSelection(
  { pattern, filters }: Pick<TokenSelection, "pattern" | "filters">,
  bind: (value: unknown) => string,
): (id: string) => string {
  const used = entriesOf(filters);
  const conditions = used.map(([name, value]) => filterSql[name].condition(bind(value)));
  if (pattern !== null) conditions.push(`t.search_text like ${bind(pattern)}`);
  if (conditions.length === 0) return () => "true";
  const state = used.some(([name]) => filterSql[name].state)
    ? "cross join lateral (select * from chain.token_state where token_id = t.id limit 1) s"
    : "";
  const condition = conditions.join(" and ");
  return (id) => `exists (select from chain.tokens t ${state} where t.id = ${id} and ${condition} offset 0)`;
}

/** Selects tokens by a text and filters; null for all tokens. Lists ids if one of the conditions is selective. */
export async function selectTokens(
  db: Queryable,
  search: string | null,
  filters: TokenFilters,
): Promise<TokenSelection | null> {
  const isFiltered = entriesOf(filters).length > 0;
  if (search === null && !isFiltered) return null;
  const pattern = search === null ? null : createSearchPattern(search);
  const listed = isFiltered ? await listFiltered(db, filters) : null;
  const examined = isFiltered ? maxExamined : maxExaminedTokens;
  if (listed !== null || search === null) return { ids: listed, pattern, filters, examined };
  const { ids } = await searchTokenTexts(db, tokenTexts, search);
  return { ids, pattern: ids === null ? pattern : null, filters, examined };
}

const tokenTexts = { table: "chain.tokens", id: "id", newest: "block_number desc, log_index desc" };

/** Lists the tokens of the most selective filter; null if each filter has more than `maxListed` tokens. */
async function listFiltered(db: Queryable, filters: TokenFilters): Promise<string | null> {
  const values: unknown[] = [];
  const lists = entriesOf(filters).map(([name, value]) => {
    const { condition, state, order } = filterSql[name];
    const from = state ? "chain.token_state s" : "chain.tokens t";
    values.push(value);
    return `(array(select ${state ? "s.token_id" : "t.id"} from ${from} where ${condition(`$${values.length}`)}
      order by ${order} limit ${maxListed + 1}))`;
  });
  const { rows } = await db.query<{ ids: string; count: number }>(
    `select ids::text as ids, cardinality(ids) as count from (values ${lists.join(", ")}) v(ids)
     order by cardinality(ids) limit 1`,
    values,
  );
  return rows[0]!.count > maxListed ? null : rows[0]!.ids;
}
