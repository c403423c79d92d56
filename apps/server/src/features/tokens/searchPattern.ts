/**
 * The LIKE pattern of a search: lower-case text that holds the term anywhere. The term's own `%`, `_` and `\` mean
 * themselves.
 *
 * @example
 * searchPattern("50%_Off"); // "%50\\%\\_off%"
 */
export function searchPattern(term: string): string {
  return `%${term.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;
}
