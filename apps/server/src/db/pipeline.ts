import { createHash } from "node:crypto";
import type pg from "pg";
import type { Client } from "./database.ts";

type Steps = readonly (() => Promise<unknown>)[];
type Results<S extends Steps> = { -readonly [Place in keyof S]: Awaited<ReturnType<S[Place]>> };

/**
 * Runs steps on one connection in their order. Where the connection pipelines, all are sent before the first answer is
 * awaited: one round trip instead of one each. A step that sends several statements does so by `inOrder` too, since
 * what it sends after an answer comes after the other steps.
 *
 * @returns What the steps gave.
 * @throws The error of the first step that failed; no step is under way any more.
 */
export async function pipeline<const S extends Steps>(client: Client, steps: S): Promise<Results<S>> {
  const results: unknown[] = [];
  if (!client.pipeline) {
    for (const step of steps) results.push(await step());
    return results as Results<S>;
  }
  for (const settled of await Promise.allSettled(steps.map((step) => step()))) {
    // Within a transaction those after it fail too, and say only that it is aborted.
    if (settled.status === "rejected") throw settled.reason;
    results.push(settled.value);
  }
  return results as Results<S>;
}

/** Names of the texts that were run: as many as there are statements in the source. */
const statementNames = new Map<string, string>();

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
