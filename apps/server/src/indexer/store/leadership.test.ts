import pg from "pg";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { openTestDatabase } from "../../../../../tests/support/database/openTestDatabase.ts";
import { tryLead } from "./leadership.ts";

test("logs each change of the leader: at the new leader, and at a leader that lost its connection", async () => {
  const database = await openTestDatabase();
  onTestFinished(() => database.drop());
  const pool = new pg.Pool({ connectionString: database.url, max: 3 });
  pool.on("error", () => undefined);
  onTestFinished(() => pool.end());
  const events: string[] = [];
  const log = pino({}, { write: (line: string) => void events.push(JSON.parse(line).msg) });

  const first = (await tryLead(pool, log))!;
  expect(await tryLead(pool, log)).toBeNull();
  expect(events).toEqual(["indexer became the leader"]);
  await pool.query(
    "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())",
  );
  await expect.poll(() => first.lost.aborted).toBe(true);
  const second = (await tryLead(pool, log))!;
  onTestFinished(() => second.release());
  expect(events.slice(1)).toEqual(["indexer leadership lost", "indexer became the leader"]);
});
