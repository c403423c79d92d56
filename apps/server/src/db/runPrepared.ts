import { createHash } from "node:crypto";
import type pg from "pg";
import type { Client } from "./database.ts";

/** Names of the texts that were run: as many as there are statements in the source. */
const names = new Map<string, string>();

/**
 * Runs one of the few statements that a pipelining connection runs again and again, parsed and planned once for each
 * connection: that costs more than running it on a row or two. A connection that does not pipeline writes many rows at
 * once, and has each statement planned for them.
 */
export async function runPrepared<Row extends pg.QueryResultRow>(
  client: Client,
  text: string,
  values: unknown[] = [],
): Promise<pg.QueryResult<Row>> {
  return await client.query<Row>(client.pipeline ? { name: nameOf(text), text, values } : { text, values });
}

function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = createHash("sha256").update(text).digest("hex").slice(0, 32);
    names.set(text, name);
  }
  return name;
}
