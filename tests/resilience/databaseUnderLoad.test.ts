import { randomUUID } from "node:crypto";
import type pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { buildTestApp } from "../support/buildTestApp.ts";
import { startSeverableProxy } from "../support/conformance/startSeverableProxy.ts";
import { until } from "../support/indexer/testDeps.ts";
import { sendRaw, wallets } from "../support/security/actors.ts";
import { startTestStack, type TestStack } from "../support/security/startTestStack.ts";
import { createFaultyPool } from "../support/simulation/faultyPool.ts";
import { createRandom } from "../support/simulation/random.ts";

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack({ heartbeatMs: 0 });
});
afterAll(() => stack?.close());

const draft = (name: string) => ({
  name,
  symbol: "DRAFT",
  image_uri: "ipfs://bafy",
  chain_id: stack.manifest.chain_id,
  recipients: [{ provider: "wallet", wallet: wallets[0]!.address, share_bps: 10_000 }],
});

test("C3-01 deadlocks, serialization failures and lost connections at 5 % make no 500, and no draft twice", async () => {
  const account = await stack.createAccount("faults");
  const random = createRandom(301);
  const faulty = (pool: pg.Pool) => createFaultyPool(pool, random, () => ({ statement: 0.05, commit: 0.05 })).pool;
  const { deps } = stack;
  const api = faulty(deps.db.api);
  const read = faulty(deps.db.read as pg.Pool);
  const db = { ...deps.db, api, read, newest: read, readNewest: <T>(work: (db: pg.Pool) => Promise<T>) => work(read) };
  const { app } = await buildTestApp({ ...deps, db });
  onTestFinished(() => app.close());
  const statuses = new Map<number, number>();
  const call = async (method: "GET" | "POST", path: string, key?: string, payload?: object) => {
    const headers = { authorization: `Bearer ${account.key}`, ...(key ? { "idempotency-key": key } : {}) };
    const answer = await app.inject({
      method,
      url: `/api/v1/launchpad${path}`,
      headers,
      ...(payload ? { payload } : {}),
    });
    statuses.set(answer.statusCode, (statuses.get(answer.statusCode) ?? 0) + 1);
    if (answer.statusCode === 503) expect(answer.headers["retry-after"]).toMatch(/^\d+$/);
    return answer;
  };
  const ids = new Map<string, string>();
  for (let i = 0; i < 40; i++) {
    const key = randomUUID();
    for (let attempt = 0; attempt < 30; attempt++) {
      const answer = await call("POST", "/intents", key, draft(`Draft ${i}`));
      if (answer.statusCode >= 300) continue;
      ids.set(key, answer.json().id);
      break;
    }
    for (const path of ["/intents", "/tokens", "/analytics", "/config"]) await call("GET", path);
  }
  const known = new Set([200, 201, 503]);
  expect([...statuses.keys()].filter((status) => !known.has(status))).toEqual([]);
  expect(statuses.get(503)).toBeGreaterThan(0);
  expect(ids.size).toBe(40);
  const { rows } = await deps.db.api.query("select count(*)::int as n from app.intents where account_id = $1", [
    account.id,
  ]);
  expect(rows[0].n).toBe(40);
});

test("C3-02 requests to a database that stops answering are answered 503, none waits for ever, and it recovers", async () => {
  const proxy = await startSeverableProxy(stack.deps.config.DATABASE_URL);
  onTestFinished(() => proxy.cut());
  const server = await stack.openServer({ DATABASE_POOL_SIZE: "3", DATABASE_URL: proxy.url });
  onTestFinished(() => server.close());
  const askAll = (count: number) => Promise.all(Array.from({ length: count }, () => server.call("GET", "/intents")));
  expect((await server.call("GET", "/intents")).status).toBe(200);
  proxy.loseAnswersTo("app.intents");
  for (let round = 0; round < 2; round++) {
    for (const { status, body } of await askAll(40)) {
      expect([status, body.error.code]).toEqual([503, "storage_unavailable"]);
    }
  }
  proxy.loseAnswersTo(null);
  await until(async () => (await server.call("GET", "/intents")).status === 200);
  for (const { status } of await askAll(40)) expect(status).toBe(200);
});

test("C3-02 a pool that slow queries hold answers 503 while they run, indexing goes on, and it recovers", async () => {
  const server = await stack.openServer({ DATABASE_POOL_SIZE: "3" });
  onTestFinished(() => server.close());
  const { api } = server.deps.db;
  const read = server.deps.db.read as pg.Pool;
  const hold = async (pool: pg.Pool) => {
    const client = await pool.connect();
    await client.query("set statement_timeout = 0");
    return client
      .query("select pg_sleep(300)")
      .catch(() => undefined)
      .finally(() => client.release());
  };
  expect((await server.call("GET", "/intents")).status).toBe(200);
  const before = (await stack.deps.db.indexer.query("select block_number from chain.checkpoint")).rows[0].block_number;
  const holding = [api, api, api, read, read, read].map((pool) => ({ ended: hold(pool) }));
  const sleeping =
    "from pg_stat_activity where query = 'select pg_sleep(300)' and state = 'active' and datname = current_database()";
  const { indexer } = stack.deps.db;
  await until(async () => (await indexer.query(`select pid ${sleeping}`)).rowCount === holding.length);

  const refused = await Promise.all([1, 2, 3, 4].map(() => server.call("GET", "/intents")));
  // The answers do not wait for the slow queries: all of them are still running.
  expect((await indexer.query(`select pid ${sleeping}`)).rowCount).toBe(holding.length);
  for (const { status, body } of refused) expect([status, body.error.code]).toEqual([503, "storage_unavailable"]);

  // The indexer has separate connections.
  await sendRaw(stack, wallets[0]!, { to: wallets[1]!.address, value: 1n });
  await until(async () => {
    const { rows } = await stack.deps.db.indexer.query("select block_number from chain.checkpoint");
    return rows[0].block_number > before;
  });

  await indexer.query(`select pg_cancel_backend(pid) ${sleeping}`);
  await Promise.all(holding.map(({ ended }) => ended));
  expect((await server.call("GET", "/intents")).status).toBe(200);
});
