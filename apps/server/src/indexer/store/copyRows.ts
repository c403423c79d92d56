import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { from as copyFrom } from "pg-copy-streams";
import type { Client } from "../../db/database.ts";
import { runPrepared } from "../../db/pipeline.ts";

/** COPY text is sent in pieces of about this number of characters, so that memory never contains the whole text. */
const pieceLength = 256 * 1024;

/**
 * Appends rows by COPY, several times as fast as INSERT.
 *
 * @param lines - Rows in COPY's text format, each with its line feed (PostgreSQL manual, COPY).
 */
export async function copyRows(client: Client, table: string, columns: string, lines: Iterable<string>): Promise<void> {
  const stream = client.query(copyFrom(`copy chain.${table} (${columns}) from stdin`));
  await pipeline(Readable.from(pieces(lines), { objectMode: true }), stream);
}

function* pieces(lines: Iterable<string>): Generator<string> {
  let piece = "";
  for (const line of lines) {
    piece += line;
    if (piece.length >= pieceLength) {
      yield piece;
      piece = "";
    }
  }
  if (piece !== "") yield piece;
}

/** Formats a value for COPY's text format that needs no escaping: digits, numbers, null. */
export function copyValue(value: bigint | number | null): string {
  return value === null ? "\\N" : String(value);
}

const copyEscapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** Formats any scalar value for COPY's text format. */
export function escapeCopyValue(value: unknown): string {
  if (typeof value === "string") return value.replace(/[\\\t\n\r]/g, (character) => copyEscapes[character]!);
  return value === null || value === undefined ? "\\N" : String(value);
}

/** Inserts rows into a table of schema chain; the rows' keys are its columns. `suffix` is an ON CONFLICT clause. */
export async function insertRows(client: Client, table: string, rows: readonly object[], suffix = ""): Promise<void> {
  if (rows.length === 0) return;
  const columns = Object.keys(rows[0]!).join(", ");
  await runPrepared(
    client,
    `insert into chain.${table} (${columns})
     select ${columns} from json_populate_recordset(null::chain.${table}, $1::json) ${suffix}`,
    [toJson(rows)],
  );
}

type Value = bigint | number | boolean | string | null;

/**
 * Formats the columns of rows as PostgreSQL array literals for unnest, which reads many rows several times as fast as
 * JSON. Only for values that need no quotes: numbers, and texts of hexadecimal digits.
 */
export function toArrays<Column extends string>(
  rows: readonly Record<Column, Value>[],
  columns: readonly Column[],
): string[] {
  return columns.map((column) => `{${rows.map((row) => row[column] ?? "null").join(",")}}`);
}

/**
 * Formats rows as JSON for json_populate_recordset. Formats bigint as text, so that no amount is converted to a double.
 * Builds the text by hand, because JSON.stringify with a replacer takes several times as long.
 */
export function toJson(rows: readonly object[]): string {
  let text = "[";
  for (const [i, row] of rows.entries()) {
    if (i > 0) text += ",";
    text += "{";
    let isFirst = true;
    for (const column in row) {
      const value = row[column as keyof typeof row] as unknown;
      text += `${isFirst ? "" : ","}"${column}":`;
      text +=
        typeof value === "bigint" ? `"${value}"` : typeof value === "number" ? value : JSON.stringify(value, asText);
      isFirst = false;
    }
    text += "}";
  }
  return `${text}]`;
}

/** Formats nested values: the payloads of the outbox. */
function asText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}
