import { finished } from "node:stream/promises";
import { from } from "pg-copy-streams";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../../tests/support/database/openTestDatabase.ts";
import { parseConfig } from "../config.ts";
import { type Database, openDatabase } from "./database.ts";
import { pipeline, pipelineLarge, runPrepared } from "./pipeline.ts";
import { withTransaction } from "./withTransaction.ts";

let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  database = await openTestDatabase();
  db = openDatabase(parseConfig({ DATABASE_URL: database.url, RPC_URL: "http://none" }), pino({ level: "silent" }));
});
afterAll(async () => {
  await db?.close();
  await database?.drop();
});
beforeEach(async () => {
  await db.api.query(
    "drop table if exists numbers; create table numbers (id serial primary key, n int4 check (n < 100))",
  );
});

const insert = "insert into numbers (n) values ($1) returning id";
const numbers = async () => (await db.api.query("select n from numbers order by id")).rows.map((row) => row.n);

describe.each([
  ["indexer", pipeline],
  ["pipelined", pipeline],
  ["indexer", pipelineLarge],
] as const)("on a connection of the pool %s, with %o", (name, run) => {
  test("steps run in order, and results have the same order", async () => {
    const results = await withTransaction(db[name], (client) =>
      run(client, [
        () => runPrepared(client, insert, [1]),
        // A step with two statements: both run before the statement of the next step.
        () => pipeline(client, [() => runPrepared(client, insert, [2]), () => runPrepared(client, insert, [3])]),
        async () =>
          (await runPrepared<{ sum: number }>(client, "select sum(n)::int4 as sum from numbers")).rows[0]!.sum,
        () => runPrepared(client, insert, [4]),
      ]),
    );
    expect(results[2]).toBe(6);
    expect(results[0].rows[0]!.id).toBe(1);
    expect(await numbers()).toEqual([1, 2, 3, 4]);
  });

  test("throws the first error, not later errors caused by it; the transaction writes nothing, the connection stays usable", async () => {
    const work = withTransaction(db[name], (client) =>
      run(client, [
        () => runPrepared(client, insert, [1]),
        () => runPrepared(client, insert, [100]),
        () => runPrepared(client, insert, [2]),
      ]),
    );
    await expect(work).rejects.toThrow(/check constraint/);
    expect(await numbers()).toEqual([]);
    await withTransaction(db[name], (client) => run(client, [() => runPrepared(client, insert, [5])]));
    expect(await numbers()).toEqual([5]);
  });

  test("a connection that ends between statements fails all steps, and the pool opens a new connection", async () => {
    const work = withTransaction(db[name], (client) =>
      run(client, [
        () => runPrepared(client, insert, [1]),
        () => runPrepared(client, "select pg_terminate_backend(pg_backend_pid())"),
        () => runPrepared(client, insert, [2]),
      ]),
    );
    await expect(work).rejects.toThrow(/terminat/i);
    await withTransaction(db[name], (client) => run(client, [() => runPrepared(client, insert, [3])]));
    expect(await numbers()).toEqual([3]);
  });
});

test("COPY runs between large pipelines of one transaction; PostgreSQL plans their statements each time", async () => {
  await withTransaction(db.indexer, async (client) => {
    await pipelineLarge(client, [() => runPrepared(client, insert, [1]), () => runPrepared(client, insert, [2])]);
    const copy = client.query(from("copy numbers (n) from stdin"));
    await finished(copy.end("3\n4\n"));
    await pipelineLarge(client, [() => runPrepared(client, insert, [5])]);
    const { rows } = await client.query("select count(*)::int4 as count from pg_prepared_statements");
    expect(rows[0].count).toBe(0);
  });
  expect(await numbers()).toEqual([1, 2, 3, 4, 5]);
});

test("a statement is prepared once on each pipelining connection, and never on other connections", async () => {
  const prepared = async (name: "indexer" | "pipelined") => {
    const client = await db[name].connect();
    for (const n of [1, 2, 3]) await runPrepared(client, insert, [n]);
    const { rows } = await client.query(
      "select count(*)::int4 as count from pg_prepared_statements where statement = $1",
      [insert],
    );
    client.release();
    return rows[0].count;
  };
  expect(await prepared("pipelined")).toBe(1);
  expect(await prepared("indexer")).toBe(0);
});
