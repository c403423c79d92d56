import { createHash } from "node:crypto";
import type pg from "pg";
import type { Client } from "./database.ts";

type Steps = readonly (() => Promise<unknown>)[];
type Results<S extends Steps> = { -readonly [Index in keyof S]: Awaited<ReturnType<S[Index]>> };

/**
 * Runs steps on one connection in order. A pipelining connection sends all steps before it waits for the first answer,
 * so that all steps take one round trip. A step with several statements must call `pipeline` too: a statement that it
 * sends after an answer runs after the other steps.
 *
 * @returns The results of the steps.
 * @throws The error of the first failed step, after all steps have ended.
 */
export async function pipeline<const S extends Steps>(client: Client, steps: S): Promise<Results<S>> {
  const results: unknown[] = [];
  if (!client.pipeline) {
    for (const step of steps) results.push(await step());
    return results as Results<S>;
  }
  for (const settled of await Promise.allSettled(steps.map((step) => step()))) {
    // In a transaction, later steps fail too, because the transaction is aborted.
    if (settled.status === "rejected") throw settled.reason;
    results.push(settled.value);
  }
  return results as Results<S>;
}

/** Connections that run `pipelineLarge`. */
const largeBatches = new WeakSet<Client>();

/**
 * As `pipeline`, also for a connection that does not pipeline because it runs COPY too. For batches with many rows: while
 * the process computes, PostgreSQL does not wait for the next statement, and it plans each statement for its rows. No
 * step may run COPY, and no other statement may be running on the connection.
 */
export async function pipelineLarge<const S extends Steps>(client: Client, steps: S): Promise<Results<S>> {
  if (client.pipeline) return await pipeline(client, steps);
  // pg reads the field at each query.
  const mode = client as { pipeline: boolean };
  largeBatches.add(client);
  mode.pipeline = true;
  try {
    return await pipeline(client, steps);
  } finally {
    mode.pipeline = false;
    largeBatches.delete(client);
  }
}

/** Names by statement text. The number of statements in the source limits the size. */
const statementNames = new Map<string, string>();

/**
 * Runs a statement. On a pipelining connection, prepares the statement once, because parsing and planning cost more
 * than running it on one or two rows. On other connections, which write many rows per statement, PostgreSQL plans each
 * run.
 */
export async function runPrepared<Row extends pg.QueryResultRow>(
  client: Client,
  text: string,
  values: unknown[] = [],
): Promise<pg.QueryResult<Row>> {
  const isPrepared = client.pipeline && !largeBatches.has(client);
  return await client.query<Row>(isPrepared ? { name: getStatementName(text), text, values } : { text, values });
}

function getStatementName(text: string): string {
  let name = statementNames.get(text);
  if (name === undefined) {
    name = createHash("sha256").update(text).digest("hex").slice(0, 32);
    statementNames.set(text, name);
  }
  return name;
}
