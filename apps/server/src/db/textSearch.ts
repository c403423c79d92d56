import { maxCountedMatches, maxScannedRows } from "@slipway/protocol/searchLimits";
import type { Queryable } from "./database.ts";

/**
 * Rows of a table with a `search_text`, newest first by an index. For a rare text, a search of the trigram index is
 * fast. For a common text, it would read a large part of the index, while the newest rows contain enough matches.
 */
export type NewestRows = {
  /** Returns SQL that selects `search_text` of the newest rows. */
  select: (limit: number) => string;
  /** The placeholder of the LIKE pattern, such as `$1`. */
  pattern: string;
  /** The values of all placeholders. */
  values: readonly unknown[];
};

/** Whether a text contains a trigram (three consecutive letters or digits). Otherwise the index would read all rows. */
export async function isIndexedText(db: Queryable, text: string): Promise<boolean> {
  if (/[a-z0-9]{3}/i.test(text)) return true;
  if (!/[\p{L}\p{N}]{3}/u.test(text)) return false;
  // The database's locale classifies other characters: fractions are never digits, and locale C has no other letters.
  const { rows } = await db.query<{ is_indexed: boolean }>("select $1::text ~ '[[:alnum:]]{3}' as is_indexed", [text]);
  return rows[0]!.is_indexed;
}

/** Number of newest rows that decide whether a text is common. A common text occurs in one of twenty. */
const maxSampled = 200;
const minCommon = maxSampled / 20;

const createMatches = ({ select, pattern }: NewestRows, limit: number) =>
  `(${select(limit)}) n where n.search_text like ${pattern}`;

/** Whether a text occurs in so many rows that the trigram index does not help. */
export async function isCommonText(db: Queryable, rows: NewestRows): Promise<boolean> {
  const { rows: found } = await db.query<{ matches: number }>(
    `select count(*) as matches from ${createMatches(rows, maxSampled)}`,
    [...rows.values],
  );
  return Number(found[0]!.matches) >= minCommon;
}

/** Counts the matches of a common text among the newest rows. @returns At most `maxMatches`. */
export async function countNewestMatches(db: Queryable, rows: NewestRows, maxMatches: number): Promise<number> {
  const { rows: found } = await db.query<{ matches: number }>(
    `select count(*) as matches from (select from ${createMatches(rows, maxScannedRows)} limit ${maxMatches}) m`,
    [...rows.values],
  );
  return Number(found[0]!.matches);
}

/** Escapes `%`, `_` and `\` for a LIKE pattern. */
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

/** A table of tokens. `search_text` contains name, symbol and address, one per line. */
export type TokenTexts = { table: string; id: string; newest: string };

export type TextSearch = {
  /** LIKE pattern for `search_text`. */
  pattern: string;
  /** Ids of the matching tokens as a PostgreSQL array literal; null if there are more than `maxListed` matches. */
  ids: string | null;
  /** Number of matching rows, at most `maxCountedMatches`. */
  total: number;
};

/** Maximum matches that a search lists by id. With more (1% of a million tokens), queries scan the tokens in order. */
const maxListed = 10_000;

/** Finds the tokens that match a search. */
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
    // Materialized, so that PostgreSQL plans for all matches but stops at the limit. Only statements use the ids, so
    // they stay text.
    `with matches as materialized (${matches}),
       listed as (select array(select ${id} from matches limit ${maxListed + 1}) as ids)
     select ids::text as ids, cardinality(ids) as count from listed`,
    symbol === null ? [pattern] : [pattern, symbol],
  );
  const { ids, count } = found.rows[0]!;
  return { pattern, ids: count > maxListed ? null : ids, total: Math.min(count, maxCountedMatches) };
}

/** Returns the pattern of a whole symbol of one or two characters, which the index finds; otherwise null. */
function getSymbolPattern(text: string): string | null {
  return /^[a-z0-9]{1,2}$/i.test(text) ? `%\n${text.toLowerCase()}\n%` : null;
}
