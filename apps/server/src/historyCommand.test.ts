import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runProgram } from "../../../tests/support/runProgram.ts";
import { type ReadDatabase, startReadDatabase } from "../../../tests/support/server/readDatabase.ts";
import { insertAccount } from "../../../tests/support/server/rows.ts";
import { insertTradeBlocks, setReorgWindow } from "../../../tests/support/server/tradePartitions.ts";

const program = fileURLToPath(new URL("historyCommand.ts", import.meta.url));

let database: ReadDatabase;
beforeAll(async () => {
  database = await startReadDatabase();
  for (const id of [1, 2, 3]) await insertAccount(database.db, id);
  await insertTradeBlocks(database.db, 1, 60);
  await setReorgWindow(database.db, 50, 60);
});
afterAll(() => database?.stop());

/** Runs `npm run history -- ...args` without npm. */
const runHistory = (args: string[], env: Record<string, string> = { DATABASE_URL: database.url }) =>
  runProgram(program, args, { env });

async function countTrades(table = "chain.trades"): Promise<number> {
  return (await database.db.indexer.query(`select count(*)::int as n from ${table}`)).rows[0].n;
}

test("the history command orders trades, and detaches them only with --yes", async () => {
  expect(await runHistory(["order"])).toEqual({ code: 0, signal: null, stdout: "49 trades ordered.\n", stderr: "" });
  const first = expect.stringMatching(/^0-49 +1970-01-01T00:00:01\.000Z +1970-01-01T00:00:49\.000Z +49 +[\d.]+$/);
  const { stdout: listed } = await runHistory(["list"]);
  expect(listed.split("\n")).toEqual([
    expect.stringMatching(/^blocks +first trade +last trade +trades +MB$/),
    first,
    expect.stringMatching(/^50- +- +- +open +[\d.]+$/),
    "",
  ]);

  const early = await runHistory(["detach", "--before", "1970-01-01T00:00:49Z", "--yes", "--drop"]);
  expect(early.stdout).toContain("No ordered partition contains only trades before 1970-01-01T00:00:49.000Z.\n");
  const preview = await runHistory(["detach", "--before", "1970-01-02", "--drop"]);
  expect(preview.stdout.split("\n").slice(1)).toEqual([
    first,
    "Nothing was detached. Add --yes to detach these partitions.",
    "",
  ]);
  expect(await countTrades()).toBe(60);

  const detached = await runHistory(["detach", "--before", "1970-01-02", "--yes"]);
  expect(detached).toMatchObject({ code: 0, stdout: expect.stringContaining("chain.detached_trades_0_49.\n") });
  expect([await countTrades(), await countTrades("chain.detached_trades_0_49")]).toEqual([11, 49]);
});

test("the history command deletes detached trades with --drop", async () => {
  await insertTradeBlocks(database.db, 61, 100);
  await setReorgWindow(database.db, 90, 100);
  expect((await runHistory(["order"])).stdout).toBe("40 trades ordered.\n");
  const deleted = await runHistory(["detach", "--before", "1970-01-02", "--yes", "--drop"]);
  expect(deleted).toMatchObject({ code: 0, stdout: expect.stringMatching(/\nDeleted\.\n$/) });
  expect(await countTrades()).toBe(11);
});

test.each([
  ["no action", [], "name an action: list, order or detach"],
  ["an option of another action", ["list", "--yes"], "list takes no options"],
  ["an invalid time", ["detach", "--before", "yesterday"], "--before must be a time such as 2026-01-31"],
  ["an unknown option", ["list", "--all"], "Unknown option '--all'"],
])("the history command refuses %s with its usage", async (_what, args, message) => {
  const { code, stdout, stderr } = await runHistory(args);
  expect([code, stdout]).toEqual([64, ""]);
  expect(stderr).toContain(message);
  expect(stderr).toContain("history detach --before TIME --yes [--drop]");
});

test("the history command names a missing DATABASE_URL, and prints no stack for an unreachable database", async () => {
  expect(await runHistory(["list"], {})).toMatchObject({
    code: 64,
    stderr: expect.stringContaining("DATABASE_URL is not set"),
  });
  const { code, stderr } = await runHistory(["list"], { DATABASE_URL: "postgres://u:secret@127.0.0.1:1/db" });
  expect(code).toBe(1);
  expect(stderr).toContain("ECONNREFUSED");
  expect(stderr).not.toMatch(/secret|\n\s+at /);
});
