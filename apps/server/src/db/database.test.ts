import { readFileSync } from "node:fs";
import { startPostgres } from "@slipway/dev/postgres/startPostgres";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import pg from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { readIndexStatus } from "../cache/indexStatus.ts";
import { parseConfig } from "../config.ts";
import { openDatabase } from "./database.ts";
import { MigrationError, migrate } from "./migrate.ts";
import { grantRoles } from "./roles.ts";
import { surviveLostConnections } from "./surviveLostConnections.ts";
import { withTransaction } from "./withTransaction.ts";

const folder = temporaryFolder();
const log = pino({ level: "silent" });
let postgres: Awaited<ReturnType<typeof startPostgres>>;
let databases = 0;

beforeAll(async () => {
  postgres = await startPostgres({ dir: folder.path, durable: false });
});
afterAll(async () => {
  await postgres?.stop();
  folder.remove();
});

async function emptyDatabase(): Promise<{ name: string; pool: pg.Pool }> {
  const name = `db_${++databases}`;
  const admin = new pg.Client({ connectionString: postgres.url });
  await admin.connect();
  await admin.query(`create database ${name}`);
  await admin.end();
  return { name, pool: open(postgres.urlFor({ database: name })) };
}

function open(connectionString: string): pg.Pool {
  const pool = surviveLostConnections(new pg.Pool({ connectionString, max: 3 }));
  onTestFinished(() => pool.end());
  return pool;
}

const applied = async (pool: pg.Pool) =>
  (await pool.query("select name from public.slipway_migrations order by 1")).rows.map((row) => row.name);

test("C3-04 migrates once; a second run applies nothing", async () => {
  const { pool } = await emptyDatabase();
  expect((await migrate(pool, log)).slice(0, 2)).toEqual(["0001_chain.sql", "0002_app.sql"]);
  expect(await migrate(pool, log)).toEqual([]);
});

test("C3-04 concurrent processes create one schema", async () => {
  const { pool } = await emptyDatabase();
  const ran = await Promise.all([migrate(pool, log), migrate(pool, log), migrate(pool, log)]);
  expect(ran.flat().toSorted()).toEqual(await applied(pool));
});

test("grants privileges while another process creates and drops tables", async () => {
  const { pool, name } = await emptyDatabase();
  await migrate(pool, log);
  const config = parseConfig({
    DATABASE_URL: postgres.url,
    RPC_URL: "http://none",
    DATABASE_INDEXER_URL: postgres.urlFor({ user: "slipway_indexer", password: "indexer", database: name }),
  });
  let isDone = false;
  const changeTables = async () => {
    while (!isDone) {
      await pool.query("create table if not exists chain.merged (n int)");
      // A grant at the same moment can prevent it.
      await pool.query("drop table chain.merged").catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  const changes = changeTables();
  try {
    for (let count = 0; count < 30; count++) expect(await grantRoles(pool, config, log)).toBe(true);
  } finally {
    isDone = true;
    await changes;
  }
});

test("C3-04 a migration that is killed is complete or rolled back, and the next start completes it", async () => {
  const { pool, name } = await emptyDatabase();
  const admin = open(postgres.url);
  for (let delay = 0; delay < 60; delay += 6) {
    const running = migrate(pool, log).catch(() => "killed");
    await new Promise((resolve) => setTimeout(resolve, delay));
    await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [name]);
    await running;
    const { rows } = await pool.query(
      "select to_regclass('chain.outbox') is not null as chain, to_regclass('chain.deployments') is not null as first",
    );
    expect(rows[0].chain).toBe(rows[0].first);
  }
  await migrate(pool, log);
  expect(await applied(pool)).toContain("0002_app.sql");
});

test("C3-04 rejects a foreign database and a changed migration", async () => {
  const { pool } = await emptyDatabase();
  await pool.query("create schema app");
  await expect(migrate(pool, log)).rejects.toThrow(/belongs to another application/);
  await pool.query("drop schema app");
  await migrate(pool, log);
  await pool.query("update public.slipway_migrations set checksum = 'x' where name = '0001_chain.sql'");
  await expect(migrate(pool, log)).rejects.toThrow(MigrationError);
});

test("C3-06 the API's role cannot write the index, the indexer's cannot touch accounts", async () => {
  const { pool, name } = await emptyDatabase();
  await migrate(pool, log);
  const urls = {
    DATABASE_API_URL: postgres
      .urlFor({ user: "slipway_api", password: "it's api", database: name })
      .replaceAll(" ", "%20"),
    DATABASE_INDEXER_URL: postgres.urlFor({ user: "slipway_indexer", password: "indexer", database: name }),
  };
  const config = parseConfig({ DATABASE_URL: postgres.url, RPC_URL: "http://none", ...urls });
  expect(await grantRoles(pool, config, log)).toBe(true);
  expect(await grantRoles(pool, config, log)).toBe(true);
  const api = open(config.DATABASE_API_URL!);
  const indexer = open(config.DATABASE_INDEXER_URL!);
  await api.query("insert into app.accounts (id, name) values (gen_random_uuid(), 'a')");
  await api.query("select * from chain.trade_rows");
  await indexer.query("insert into chain.totals (seconds, t) values (60, 0)");
  const denied = /permission denied/;
  await expect(api.query("insert into chain.totals (seconds, t) values (60, 60)")).rejects.toThrow(denied);
  await expect(api.query("truncate chain.trades")).rejects.toThrow(denied);
  await expect(indexer.query("select * from app.accounts")).rejects.toThrow(denied);
  await expect(indexer.query("insert into app.accounts (id, name) values (gen_random_uuid(), 'b')")).rejects.toThrow(
    denied,
  );
});

test("C9-29 the API's role publishes the signals that it stores, and nothing else", async () => {
  const { pool, name } = await emptyDatabase();
  await migrate(pool, log);
  const user = { user: "slipway_api", password: "it's api", database: name };
  const config = parseConfig({
    DATABASE_URL: postgres.url,
    RPC_URL: "http://none",
    DATABASE_API_URL: postgres.urlFor(user).replaceAll(" ", "%20"),
  });
  expect(await grantRoles(pool, config, log)).toBe(true);
  const api = open(config.DATABASE_API_URL!);
  await api.query("insert into app.markets (pair, source) values ('A_USD', 'import')");
  const store = async (id: string, origin: string, closedAt: number) =>
    await api.query(
      `insert into app.signals (id, market_id, pair, strategy, strategy_version, direction, origin, closed_at,
         generated_at, price, stop_loss, take_profit, cost, spread, impact, indicators)
       values ($1, 1, 'A_USD', 'one', 1, 'long', $2, $3, $3, 1, 0.5, 2, 0, 0, 0, '{}')`,
      [id, origin, closedAt],
    );
  await store("sg_1", "live", 3600);
  await store("sg_2", "history", 7200);
  const { rows } = await api.query("select kind, payload->>'id' as id from chain.outbox");
  expect(rows).toEqual([{ kind: "signal", id: "sg_1" }]);
  const denied = /permission denied/;
  const event = "insert into chain.outbox (block_number, kind, payload) values (1, 'batch', '{}')";
  await expect(api.query(event)).rejects.toThrow(denied);
  await expect(api.query("do $$ begin lock table chain.outbox in share row exclusive mode; end $$")).rejects.toThrow(
    denied,
  );
  await expect(api.query("select app.publish_signal()")).rejects.toThrow(
    /permission denied|only be called as triggers/,
  );
  // With the trigger on its own table, the role could publish messages that are not signals.
  await api.query("create table app.own (like app.signals)");
  const attach = "create trigger own after insert on app.own for each row execute function app.publish_signal()";
  await expect(api.query(attach)).rejects.toThrow(denied);
});

test("continues with one role if the role may not create others", async () => {
  const { pool, name } = await emptyDatabase();
  await pool.query(
    "do $$ begin create role plain login password 'plain'; exception when duplicate_object then null; end $$",
  );
  await pool.query(`alter database ${name} owner to plain`);
  const own = open(postgres.urlFor({ user: "plain", password: "plain", database: name }));
  await pool.query("grant all on schema public to plain");
  await migrate(own, log);
  const config = parseConfig({ DATABASE_URL: postgres.url, RPC_URL: "http://none" });
  const lines: string[] = [];
  const loud = pino({ level: "warn" }, { write: (line: string) => void lines.push(line) });
  // The test above created the roles for the whole server. Without the privilege to grant, grantRoles logs the SQL.
  const exist = await grantRoles(own, config, loud);
  if (!exist) expect(lines.join()).toContain("create role slipway_api");
});

test("C3-01 retries a serialization failure, a bounded number of times", async () => {
  const { pool } = await emptyDatabase();
  let attempts = 0;
  const value = await withTransaction(pool, async (client) => {
    if (++attempts < 3) throw Object.assign(new Error("could not serialize"), { code: "40001" });
    return (await client.query("select 7 as x")).rows[0].x;
  });
  expect([value, attempts]).toEqual([7, 3]);
  const always = withTransaction(pool, async () => {
    throw Object.assign(new Error("could not serialize"), { code: "40001" });
  });
  await expect(always).rejects.toThrow("could not serialize");
});

test("the status of an index that has never run is missing", async () => {
  const { pool } = await emptyDatabase();
  await migrate(pool, log);
  expect(await readIndexStatus(pool)).toMatchObject({ state: "missing", indexedBlock: null });
});

test("migrations contain no statement that cannot run in a transaction", () => {
  const sql = readFileSync(new URL("./migrations/0001_chain.sql", import.meta.url), "utf8");
  expect(sql).not.toMatch(/concurrently|vacuum/i);
});

test("C3-03 a connection lost in use fails its query, not the process", async () => {
  const config = parseConfig({ DATABASE_URL: postgres.url, RPC_URL: "http://127.0.0.1:1" });
  const db = openDatabase(config, log);
  onTestFinished(() => db.close());
  const client = await db.indexer.connect();
  const { rows } = await client.query("select pg_backend_pid() as pid");
  const hanging = expect(client.query("select pg_sleep(60)")).rejects.toThrow(/terminat/);
  // No listener handles the client's errors here: an unhandled error would end the process and fail this test.
  await db.api.query("select pg_terminate_backend($1)", [rows[0].pid]);
  await hanging;
  client.release(true);
});
