import { createHash } from "node:crypto";
import type pg from "pg";
import type { Client } from "./database.ts";

type Steps = readonly (() => Promise<unknown>)[];
type Results<S extends Steps> = { -readonly [Index in keyof S]: Awaited<ReturnType<S[Index]>> };

/**
 * Runs steps on one connection in their order. Where the connection pipelines, all are sent before the first answer is
 * awaited: one round trip instead of one each. A step with several statements calls `pipeline` too: a statement that it
 * sends after an answer comes after the other steps.
 *
 * @returns The results of the steps.
 * @throws The error of the first step that failed; no step is running any more.
 */
export async function pipeline<const S extends Steps>(client: Client, steps: S): Promise<Results<S>> {
  const results: unknown[] = [];
  if (!client.pipeline) {
    for (const step of steps) results.push(await step());
    return results as Results<S>;
  }
  for (const settled of await Promise.allSettled(steps.map((step) => step()))) {
    // Within a transaction the steps after it fail too, only because it is aborted.
    if (settled.status === "rejected") throw settled.reason;
    results.push(settled.value);
  }
  return results as Results<S>;
}

/** Names by statement text: as many as there are statements in the source. */
const statementNames = new Map<string, string>();

/**
 * Runs a statement that a pipelining connection runs repeatedly, parsed and planned once for each connection: that costs
 * more than running it on a row or two. On a connection that does not pipeline, which writes many rows with each
 * statement, it is planned for those rows.
 */
export async function runPrepared<Row extends pg.QueryResultRow>(
  client: Client,
  text: string,
  values: unknown[] = [],
): Promise<pg.QueryResult<Row>> {
  return await client.query<Row>(client.pipeline ? { name: getStatementName(text), text, values } : { text, values });
}

function getStatementName(text: string): string {
  let name = statementNames.get(text);
  if (name === undefined) {
    name = createHash("sha256").update(text).digest("hex").slice(0, 32);
    statementNames.set(text, name);
  }
  return name;
}
