import { fetch } from "undici";
import type { Clock } from "../../clock.ts";
import type { HistoryServer } from "../../historySettings.ts";
import { name, type Sql, sql } from "./sql.ts";

/** The server does not answer, refuses a statement, or answers with something else than ClickHouse does. */
export class ClickHouseError extends Error {
  override name = "ClickHouseError";
}

export type ClickHouse = {
  database: string;
  /** Null for one server. */
  cluster: string | null;
  /** Runs a statement; resolves with the bytes of its result in RowBinary. */
  query(statement: Sql, options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<Buffer>;
  /** Inserts rows in RowBinary, into every shard before it resolves. */
  insert(table: string, rows: Buffer, options?: { signal?: AbortSignal }): Promise<void>;
  /** Whether the server has codecs of columns and skips shards without rows of a query (version 20 and later). */
  isModern(): Promise<boolean>;
  /** Resolves with true when the server answers. */
  ping(timeoutMs: number): Promise<true>;
  /** Whether the last request succeeded; null before the first. */
  isUp(): boolean | null;
};

/** After a failure, requests fail at once for this time, so that they do not wait one after the other. */
const restMs = 1_000;

/** The time of statements that change tables, and of inserts. */
const writeTimeoutMs = 120_000;

/** The client waits this much longer than the server's own limit, so that a slow statement is not taken for a server that is down. */
const graceMs = 1_000;

/** Requests in progress; more fail at once, so that slow statements do not exhaust the server. */
const maxRequests = 32;

/** A page has at most a tenth of this. */
const maxResultBytes = 64 * 1024 * 1024;

const commonSettings = {
  // Otherwise an error can follow the status 200.
  wait_end_of_query: "1",
  insert_distributed_sync: "1",
  // A replica that missed rows for longer must not answer: rows are read here only days after they were copied.
  max_replica_delay_for_distributed_queries: "300",
  fallback_to_stale_replicas_for_distributed_queries: "0",
};

/**
 * Creates a client of ClickHouse's HTTP interface for RowBinary, which `@clickhouse/client` does not support. Works with
 * versions from 18.16. Follows no redirect and bounds time and size of responses. No error contains the URL, the
 * credentials or a value.
 */
export function createClickHouse(options: {
  server: HistoryServer;
  cluster: string | undefined;
  timeoutMs: number;
  clock: Pick<Clock, "now">;
}): ClickHouse {
  const { server, timeoutMs, clock } = options;
  let restUntil = Number.NEGATIVE_INFINITY;
  let requests = 0;
  let up: boolean | null = null;
  let modern: boolean | null = null;

  const send = async (parameters: Record<string, string>, body: string | Buffer, limits: Limits) => {
    if (clock.now() < restUntil) throw new ClickHouseError("did not answer a moment ago");
    if (requests >= maxRequests) throw new ClickHouseError("has too many requests in progress");
    requests++;
    try {
      const bytes = await request(server, parameters, body, limits);
      up = true;
      return bytes;
    } catch (error) {
      if (limits.signal?.aborted) throw error;
      // A refused statement shows that the server is up, but its caller has no rows either.
      up = false;
      if (!(error instanceof ClickHouseError)) restUntil = clock.now() + restMs;
      throw error instanceof ClickHouseError ? error : new ClickHouseError(explainFailure(error));
    } finally {
      requests--;
    }
  };

  const run = async (statement: Sql, settings: Record<string, string>, limits: Limits) =>
    await send({ ...commonSettings, ...settings, default_format: "RowBinary" }, statement.text, limits);

  const isModern = async () => {
    if (modern === null) {
      const version = await run(sql`select toUInt32(splitByChar('.', version())[1])`, {}, { timeoutMs });
      if (version.length !== 4) throw new ClickHouseError("returned no version");
      modern = version.readUInt32LE() >= 20;
    }
    return modern;
  };

  return {
    database: server.database,
    cluster: options.cluster ?? null,
    query: async (statement, { timeoutMs: ownMs = timeoutMs, signal } = {}) => {
      // With the setting, a query for one token needs only its shard.
      const settings: Record<string, string> = (await isModern()) ? { optimize_skip_unused_shards: "1" } : {};
      const seconds = String(Math.ceil(ownMs / 1_000));
      const limits = { timeoutMs: ownMs + graceMs, ...(signal && { signal }) };
      return await run(statement, { ...settings, max_execution_time: seconds }, limits);
    },
    insert: async (table, rows, { signal } = {}) => {
      const query = sql`insert into ${name(server.database)}.${name(table)} format RowBinary`.text;
      await send({ ...commonSettings, query }, rows, { timeoutMs: writeTimeoutMs, ...(signal && { signal }) });
    },
    isModern,
    ping: async (pingMs) => {
      await run(sql`select 1`, {}, { timeoutMs: pingMs });
      return true;
    },
    isUp: () => up,
  };
}

type Limits = { timeoutMs: number; signal?: AbortSignal };

async function request(
  server: HistoryServer,
  parameters: Record<string, string>,
  body: string | Buffer,
  { timeoutMs, signal }: Limits,
): Promise<Buffer> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const response = await fetch(`${server.origin}/?${new URLSearchParams(parameters)}`, {
    method: "POST",
    redirect: "error",
    headers: { "x-clickhouse-user": server.user, "x-clickhouse-key": server.password.revealText() },
    body,
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  });
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > maxResultBytes) throw new ClickHouseError("returned too many bytes");
    parts.push(part);
  }
  const bytes = Buffer.concat(parts);
  if (response.status === 200) return bytes;
  // The text of an error repeats the statement: only its number is shown.
  const code = /Code: (\d{1,5})/.exec(bytes.subarray(0, 500).toString("latin1"))?.[1];
  throw new ClickHouseError(`refused a statement: HTTP ${response.status}, code ${code ?? "unknown"}`);
}

function explainFailure(error: unknown): string {
  const { name: kind, code, cause } = error as { name?: string; code?: string; cause?: { code?: string } };
  if (kind === "TimeoutError") return "did not answer in time";
  return `cannot be reached (${cause?.code ?? code ?? kind ?? "unknown"})`;
}
