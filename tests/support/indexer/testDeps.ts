import { createSeenHeads, createSeenReads } from "@slipway/server/chain/lastSeen";
import { createRpcPool } from "@slipway/server/chain/rpcPool";
import { createRpcTransport, type RpcTransport } from "@slipway/server/chain/rpcTransport";
import { parseConfig } from "@slipway/server/config";
import { createIds } from "@slipway/server/createIds";
import { openDatabase } from "@slipway/server/db/database";
import { migrate } from "@slipway/server/db/migrate";
import { createDeps, type Deps } from "@slipway/server/deps";
import { createMetrics } from "@slipway/server/metrics";
import { systemClock } from "@slipway/server/systemClock";
import pg from "pg";
import { pino } from "pino";
import { copyTemplate, createTemplate, toDatabaseUrl } from "../database/templateDatabase.ts";

export type TestDepsOptions = {
  databaseUrl: string;
  rpcUrl: string | string[];
  env?: Record<string, string>;
  transport?: (through: RpcTransport) => RpcTransport;
};

/** The indexer's dependencies over a real database and real endpoints. */
export async function createTestDeps(options: TestDepsOptions): Promise<Deps> {
  const urls = [options.rpcUrl].flat();
  const config = parseConfig({
    DATABASE_URL: options.databaseUrl,
    RPC_URL: urls.join(","),
    RPC_REQUESTS_PER_SECOND: "100000",
    POLL_INTERVAL_MS: "50",
    REORG_WINDOW_SECONDS: "3600",
    ...options.env,
  });
  const log = pino({ level: process.env.TEST_LOG ?? "silent" });
  const metrics = createMetrics();
  const db = openDatabase(config, log);
  // A busy machine can exceed the time that a request waits for a connection; these tests are not about that time.
  for (const pool of [db.api, db.indexer, db.read]) {
    // With a replica, reads use several pools.
    if (pool instanceof pg.Pool) pool.options.connectionTimeoutMillis = 60_000;
  }
  await migrate(db.api, log);
  const direct = createRpcTransport(urls);
  const rpc = createRpcPool({
    endpoints: urls.length,
    transport: options.transport?.(direct) ?? direct,
    timeoutMs: config.RPC_TIMEOUT_MS,
    requestsPerSecond: config.RPC_REQUESTS_PER_SECOND,
    clock: systemClock,
    log,
    metrics,
  });
  const heads = createSeenHeads(systemClock);
  const seenReads = createSeenReads(systemClock);
  const chain = { rpc, heads, seenReads, request: rpc.request, close: async () => undefined };
  const runtime = { config, log, clock: systemClock, ids: createIds(systemClock), db, metrics };
  return createDeps({ ...runtime, chain: chain as unknown as Deps["chain"] });
}

/** By the URL of a server: the creation of its template. */
const templates = new Map<string, Promise<void>>();

/** Creates a migrated database without data on a running server. */
export async function createTestDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  if (!templates.has(serverUrl)) templates.set(serverUrl, createTemplate(client, serverUrl));
  await templates.get(serverUrl);
  await client.query(`drop database if exists ${name} with (force)`);
  await copyTemplate(client, name);
  await client.end();
  return toDatabaseUrl(serverUrl, name);
}

/** Waits until `check` returns true, or fails with its last answer. */
export async function until(
  check: () => boolean | string | Promise<boolean | string>,
  timeoutMs = 60_000,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const answer = await check();
    if (answer === true) return;
    if (Date.now() > deadline)
      throw new Error(`still ${typeof answer === "string" ? answer : "not"} after ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
