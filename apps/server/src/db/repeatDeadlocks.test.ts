import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../../tests/support/database/openTestDatabase.ts";
import { repeatDeadlocks } from "./repeatDeadlocks.ts";
import { surviveLostConnections } from "./surviveLostConnections.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database?.drop());

test("a statement that ends a deadlock is repeated once", async () => {
  const connectionString = database.url;
  const options = "-c deadlock_timeout=3s";
  const pool = repeatDeadlocks(surviveLostConnections(new pg.Pool({ connectionString, max: 1, options })));
  const other = new pg.Client({ connectionString, options: "-c deadlock_timeout=1min" });
  await other.connect();
  await other.query(
    "create table a (n int); create table b (n int); insert into a values (1); insert into b values (2)",
  );
  await other.query("begin; lock table b in access exclusive mode");
  const reading = pool.query("select a.n + b.n as sum from a, b");
  const waiting = "select from pg_locks where not granted and relation = 'b'::regclass";
  await expect.poll(async () => (await other.query(waiting)).rowCount).toBe(1);
  // PostgreSQL checks a waiting statement once, after its deadlock_timeout: until then, this lock must wait too.
  await other.query("lock table a in access exclusive mode");
  await other.query("commit");
  expect((await reading).rows).toEqual([{ sum: 3 }]);
  await other.end();
  await pool.end();
});
