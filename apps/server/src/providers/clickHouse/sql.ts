/** SQL text that contains no value except checked literals. Only `sql` and `name` create it. */
export class Sql {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value that SQL may contain: a whole number from 0, bytes as `0x` and hex, other SQL, or a list of these. */
export type SqlValue = number | bigint | string | Sql | readonly SqlValue[];

const maxUint64 = 2n ** 64n - 1n;

/**
 * Builds SQL with values as literals, because ClickHouse before 19 has no query parameters.
 *
 * @throws TypeError for every value that is not a whole number from 0 to 2^64-1, hex with `0x`, `Sql`, or a list of
 *   these. Text is never quoted, so that no text of a caller can become SQL.
 */
export function sql(parts: TemplateStringsArray, ...values: SqlValue[]): Sql {
  return new Sql(parts.reduce((text, part, index) => text + toLiteral(values[index - 1]!) + part));
}

function toLiteral(value: SqlValue): string {
  if (value instanceof Sql) return value.text;
  if (Array.isArray(value)) {
    if (value.length === 0) throw new TypeError("a list of SQL values is empty");
    return value.map((entry: SqlValue) => toLiteral(entry)).join(", ");
  }
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return String(value);
  if (typeof value === "bigint" && value >= 0n && value <= maxUint64) return value.toString();
  if (typeof value === "string" && /^0x(?:[0-9a-f]{2})+$/.test(value)) return `unhex('${value.slice(2)}')`;
  throw new TypeError("a value is not a whole number, hex or SQL");
}

/**
 * Returns the name of a database, cluster, table or column as SQL.
 *
 * @throws TypeError for a name with other characters than letters, digits and `_`.
 */
export function name(text: string): Sql {
  if (!isName(text)) throw new TypeError("a name in SQL has other characters than letters, digits and _");
  return new Sql(text);
}

/** Whether a text is a valid name. */
export function isName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(text);
}
