import { once } from "node:events";
import { finished } from "node:stream/promises";
import type pg from "pg";
import { from as copyFrom } from "pg-copy-streams";

const chunkCharacters = 256 * 1024;

/** A COPY of rows into a table; each row is its text line without the line end. */
export type Copy = { add(line: string): void | Promise<void>; end(): Promise<void> };

/** Begins a COPY on its own connection. Await the result of `add` if there is one: the pipe is full. */
export async function startCopy(pool: pg.Pool, table: string, columns: readonly string[]): Promise<Copy> {
  const client = await pool.connect();
  const stream = client.query(copyFrom(`copy ${table} (${columns.join(", ")}) from stdin`));
  const done = finished(stream);
  // `end` reports this error; without a listener, Node would end the process.
  done.catch(() => undefined);
  let chunk = "";
  const flush = (): void | Promise<void> => {
    const text = chunk;
    chunk = "";
    if (!stream.write(text)) return once(stream, "drain").then(() => undefined);
  };
  return {
    add: (line) => {
      chunk += `${line}\n`;
      if (chunk.length >= chunkCharacters) return flush();
    },
    end: async () => {
      await flush();
      stream.end();
      try {
        await done;
      } finally {
        client.release();
      }
    },
  };
}

/** Copies all rows of an iterable. */
export async function copyRows(
  pool: pg.Pool,
  table: string,
  columns: readonly string[],
  rows: Iterable<readonly (string | number | bigint | boolean | null)[]>,
): Promise<void> {
  const copy = await startCopy(pool, table, columns);
  for (const row of rows) {
    const full = copy.add(row.map((value) => (value === null ? "\\N" : String(value))).join("\t"));
    if (full) await full;
  }
  await copy.end();
}
