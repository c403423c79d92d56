import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { accountExport } from "@slipway/protocol/accountExport";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getProgram } from "../../../tests/support/getProgram.ts";
import { runProgram } from "../../../tests/support/runProgram.ts";
import { createReadApp, type ReadApp } from "../../../tests/support/server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../../../tests/support/server/readDatabase.ts";

const program = await getProgram("accounts");

let database: ReadDatabase;
let read: ReadApp;
beforeAll(async () => {
  database = await startReadDatabase();
  read = await createReadApp(database.db);
});
afterAll(async () => {
  await read?.app.close();
  await database?.stop();
});

/** Runs `npm run accounts -- ...args` without npm. */
const runAccounts = (args: string[], env: Record<string, string> = { DATABASE_URL: database.url }) =>
  runProgram(program, args, { env });

const runJson = async (args: string[]) => JSON.parse((await runAccounts([...args, "--json"])).stdout);
const getStatus = async (key: string) => (await read.get("/intents", { authorization: `Bearer ${key}` })).status;

describe("the accounts command", () => {
  it("creates an account with a valid key, and stores the key only as its hash", async () => {
    const created = await runJson(["create", "--name", "Ada", "--plan", "subscriber", "--credits", "5"]);
    expect(created).toEqual({
      account_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      key_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      api_key: expect.stringMatching(/^slip_[A-Za-z0-9_-]{43}$/),
    });
    expect(await getStatus(created.api_key)).toBe(200);
    const { rows } = await database.db.api.query("select k::text as text, hash from app.api_keys k where id = $1", [
      created.key_id,
    ]);
    expect(rows[0].text).not.toContain(created.api_key);
    expect(rows[0].hash).toEqual(createHash("sha256").update(created.api_key).digest());
    const listed = (await runJson(["list"])).find(({ id }: { id: string }) => id === created.account_id);
    expect(listed).toMatchObject({ name: "Ada", plan: "subscriber", credits: "5", keys: 1 });
  });

  it("lists the events of an account, exports it and deletes it permanently", async () => {
    const { account_id, api_key } = await runJson([
      "create",
      "--name",
      "Eve",
      "--plan",
      "subscriber",
      "--credits",
      "5",
    ]);
    const account = ["--account", account_id];
    expect(await runJson(["events", ...account])).toMatchObject([{ kind: "plan_changed" }, { kind: "key_created" }]);
    const exported = await runJson(["export", ...account]);
    expect(accountExport.parse(exported)).toMatchObject({ account: { name: "Eve" }, credits: { balance: 5 } });
    expect(await runJson(["delete", ...account])).toEqual({ account_id, deleted: true });
    expect(await getStatus(api_key)).toBe(401);
    for (const command of ["delete", "export"]) {
      expect((await runAccounts([command, ...account])).stderr).toContain("There is no account");
    }
    expect((await runJson(["list"])).map(({ id }: { id: string }) => id)).not.toContain(account_id);
  });

  it("revokes a key, which is refused within a second, and leaves the account's other key valid", async () => {
    const first = await runJson(["create", "--name", "Bob"]);
    const second = await runJson(["key", "--account", first.account_id, "--name", "laptop"]);
    expect([await getStatus(first.api_key), await getStatus(second.api_key)]).toEqual([200, 200]);
    expect(await runJson(["revoke", "--key", first.key_id])).toEqual({ revoked: true });
    await delay(1_000);
    expect([await getStatus(first.api_key), await getStatus(second.api_key)]).toEqual([401, 200]);
    expect(await runJson(["revoke", "--key", first.key_id])).toEqual({ revoked: false });
  });

  it("never lets the balance fall below zero", async () => {
    const { account_id } = await runJson(["create", "--name", "Cyd", "--credits", "3"]);
    expect(await runJson(["credit", "--account", account_id, "--credits=-2"])).toEqual({ account_id, balance: 1 });
    const refused = await runAccounts(["credit", "--account", account_id, "--credits=-2"]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("cannot be negative")]);
    expect(await runJson(["credit", "--account", account_id, "--credits", "1"])).toEqual({ account_id, balance: 2 });
  });

  it.each([
    [["dance"], "there is no command dance"],
    [[], "a command is missing"],
    [["create"], "--name is missing"],
    [["credit", "--account", "x", "--credits", "many"], "--credits must be a whole number"],
    [["create", "--colour", "blue"], "--colour"],
    [["create", "--name", "a\nb"], "--name must not contain control characters"],
    [["credit", "--account", "x", "--credits", "1", "--reason", "x".repeat(201)], "--reason"],
  ])("reports the fault of %j and the usage", async (args, message) => {
    const { code, stdout, stderr } = await runAccounts(args);
    expect([code, stdout]).toEqual([64, ""]);
    expect(stderr).toContain(message);
    expect(stderr).toContain("accounts create --name NAME");
  });

  it.each([
    [["--plan", "subscriber", "--days", "soon"], "--days must be a whole number from 1 to 36500"],
    [["--plan", "subscriber", "--days", "0"], "--days must be a whole number from 1 to 36500"],
    [["--plan", "subscriber", "--days", "99999999999"], "--days must be a whole number from 1 to 36500"],
    [["--credits=-5"], "--credits of a new account cannot be negative"],
  ])("creates no account when its options are not valid: %j", async (args, message) => {
    const count = async () => (await database.db.api.query("select count(*) as n from app.accounts")).rows[0].n;
    const before = await count();
    const { code, stdout, stderr } = await runAccounts(["create", "--name", "Eve", ...args]);
    expect([code, stdout, stderr]).toEqual([64, "", expect.stringContaining(message)]);
    expect(await count()).toBe(before);
  });

  it("requires DATABASE_URL, and does not print it when it fails", async () => {
    expect((await runAccounts(["list"], {})).stderr).toContain("DATABASE_URL is not set");
    const wrong = "postgres://someone:hunter2@localhost:1/x";
    const { code, stderr } = await runAccounts(["list"], { DATABASE_URL: wrong });
    expect(code).toBe(1);
    expect(stderr).toMatch("DATABASE_URL: the database at localhost:1 does not answer");
    expect(stderr).not.toContain("hunter2");
  });
});
