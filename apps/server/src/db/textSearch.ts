import { maxCountedMatches, maxScannedRows } from "@slipway/protocol/searchLimits";
import type { Queryable } from "./database.ts";

/**
 * Rows of a table with a `search_text`, newest first by an index. The index of trigrams yields the matches of a rare text at once;
 * of a common one it would read a large part of itself, where the newest rows already have enough matches.
 */
export type NewestRows = {
  /** SQL of the newest rows' `search_text`. */
  select: (limit: number) => string;
  /** The parameter of the pattern, for LIKE. */
  pattern: string;
  /** The parameters of both. */
  values: readonly unknown[];
};

/** Whether an index of trigrams finds a text: three letters or digits in a row are one. Without one it reads all rows. */
export async function isIndexedText(db: Queryable, text: string): Promise<boolean> {
  if (/[a-z0-9]{3}/i.test(text)) return true;
  if (!/[\p{L}\p{N}]{3}/u.test(text)) return false;
  // The database's locale classifies other characters as letters or digits: never fractions, and none at all in locale C.
  const { rows } = await db.query<{ is_indexed: boolean }>("select $1::text ~ '[[:alnum:]]{3}' as is_indexed", [text]);
  return rows[0]!.is_indexed;
}

/** Newest rows that say whether a text is common: one of twenty has it. */
const maxSampled = 200;
const minCommon = maxSampled / 20;

const createMatches = ({ select, pattern }: NewestRows, limit: number) =>
  `(${select(limit)}) n where n.search_text like ${pattern}`;

/** Whether so many rows have the text that an index of texts is no help. */
export async function isCommonText(db: Queryable, rows: NewestRows): Promise<boolean> {
  const { rows: found } = await db.query<{ matches: number }>(
    `select count(*) as matches from ${createMatches(rows, maxSampled)}`,
    [...rows.values],
  );
  return Number(found[0]!.matches) >= minCommon;
}

/** Counts the matches of a common text among the newest rows. @returns `maxMatches` at most. */
export async function countNewestMatches(db: Queryable, rows: NewestRows, maxMatches: number): Promise<number> {
  const { rows: found } = await db.query<{ matches: number }>(
    `select count(*) as matches from (select from ${createMatches(rows, maxScannedRows)} limit ${maxMatches}) m`,
    [...rows.values],
  );
  return Number(found[0]!.matches);
}

/** Text of a LIKE pattern whose `%`, `_` and `\` are literal. */
export function escapePattern(term: string): string {
  return term.replace(/[\\%_]/g, "\\$&");
}

/**
 * Creates the LIKE pattern of a search: lower-case text that contains the term, whose `%`, `_` and `\` are literal.
 *
 * @example
 * createSearchPattern("50%_Off"); // "%50\\%\\_off%"
 */
export function createSearchPattern(term: string): string {
  return `%${escapePattern(term.toLowerCase())}%`;
}

/** A table of tokens: `search_text` is name, symbol and address, a line each. */
export type TokenTexts = { table: string; id: string; newest: string };

export type TextSearch = {
  /** Pattern of the search text, for LIKE. */
  pattern: string;
  /** The tokens that match, as PostgreSQL writes an array; null where more match than are listed. */
  ids: string | null;
  /** Rows that match, `maxCountedMatches` at most. */
  total: number;
};

/** Matches up to which a search is a list of tokens. More are one of a hundred of a million: an order is walked for them. */
const maxListed = 10_000;

/** Finds which tokens a search selects. */
export async function searchTokenTexts(
  db: Queryable,
  { table, id, newest }: TokenTexts,
  text: string,
): Promise<TextSearch> {
  const pattern = createSearchPattern(text);
  const newestRows = `select ${id}, search_text from ${table} order by ${newest}`;
  const rows: NewestRows = { select: (limit) => `${newestRows} limit ${limit}`, pattern: "$1", values: [pattern] };
  if ((await isCommonText(db, rows)) && (await countNewestMatches(db, rows, maxCountedMatches)) === maxCountedMatches)
    return { pattern, ids: null, total: maxCountedMatches };
  const symbol = getSymbolPattern(text);
  const matches = (await isIndexedText(db, text))
    ? `select ${id} from ${table} where search_text like $1`
    : `select ${id} from (${rows.select(maxScannedRows)}) n where search_text like $1
       ${symbol === null ? "" : `union select ${id} from ${table} where search_text like $2`}`;
  const found = await db.query<{ ids: string; count: number }>(
    // Planned for all matches, and read until there are enough. The ids are for a statement only: they stay a text.
    `with matches as materialized (${matches}),
       listed as (select array(select ${id} from matches limit ${maxListed + 1}) as ids)
     select ids::text as ids, cardinality(ids) as count from listed`,
    symbol === null ? [pattern] : [pattern, symbol],
  );
  const { ids, count } = found.rows[0]!;
  return { pattern, ids: count > maxListed ? null : ids, total: Math.min(count, maxCountedMatches) };
}

/** The pattern of a whole symbol that is a short text: an index finds it, unlike one that only contains it. */
function getSymbolPattern(text: string): string | null {
  return /^[a-z0-9]{1,2}$/i.test(text) ? `%\n${text.toLowerCase()}\n%` : null;
}
