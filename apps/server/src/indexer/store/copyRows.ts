import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { from as copyFrom } from "pg-copy-streams";
import type { Client } from "../../db/database.ts";

/** COPY text is handed over in pieces of about this many characters, so that it never lies in memory twice. */
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

/** A value of COPY's text format that needs no escaping: digits, numbers, null. */
export function copyValue(value: bigint | number | null): string {
  return value === null ? "\\N" : String(value);
}
