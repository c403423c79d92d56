import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { openTestDatabase } from "../../../../tests/support/database/openTestDatabase.ts";
import { withCommandPool } from "./withCommandPool.ts";

test("a connection that ends between two statements does not end the process", async () => {
  const database = await openTestDatabase();
  onTestFinished(() => database.drop());
  const other = new pg.Client({ connectionString: database.url });
  await other.connect();
  const running = withCommandPool(database.url, async (pool) => {
    const { rows } = await pool.query("select pg_backend_pid() as pid");
    const ended = new Promise((resolve) => pool.once("remove", resolve));
    await other.query("select pg_terminate_backend($1)", [rows[0].pid]);
    await ended;
    // The pool opens a new connection.
    return (await pool.query("select 1 as one")).rows;
  });
  expect(await running).toEqual([{ one: 1 }]);
  await other.end();
});
