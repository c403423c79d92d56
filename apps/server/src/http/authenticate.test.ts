import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createReadApp, type ReadApp } from "../../../../tests/support/server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../tests/support/server/readDatabase.ts";

const program = fileURLToPath(new URL("../accountsCommand.ts", import.meta.url));

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

type Outcome = { code: number; stdout: string; stderr: string };

/** Runs `npm run accounts -- ...args` without npm. */
function accounts(args: string[], env: Record<string, string> = { DATABASE_URL: database.url }): Promise<Outcome> {
  return new Promise((resolve) => {
    const options = { env: { PATH: process.env.PATH ?? "", ...env } };
    execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

const json = async (args: string[]) => JSON.parse((await accounts([...args, "--json"])).stdout);
const statusFor = async (key: string) => (await read.get("/intents", { authorization: `Bearer ${key}` })).status;

describe("the accounts program", () => {
  it("creates an account whose key works, and stores the key only as its hash", async () => {
    const made = await json(["create", "--name", "Ada", "--plan", "subscriber", "--credits", "5"]);
    expect(made).toEqual({
      account_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      key_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      api_key: expect.stringMatching(/^slip_[A-Za-z0-9_-]{43}$/),
    });
    expect(await statusFor(made.api_key)).toBe(200);
    const { rows } = await database.db.api.query("select k::text as text, hash from app.api_keys k where id = $1", [
      made.key_id,
    ]);
    expect(rows[0].text).not.toContain(made.api_key);
    expect(rows[0].hash).toEqual(createHash("sha256").update(made.api_key).digest());
    const listed = (await json(["list"])).find(({ id }: { id: string }) => id === made.account_id);
    expect(listed).toMatchObject({ name: "Ada", plan: "subscriber", credits: "5", keys: 1 });
  });

  it("revokes a key, which is refused within a second; the account's other key goes on working", async () => {
    const first = await json(["create", "--name", "Bob"]);
    const second = await json(["key", "--account", first.account_id, "--name", "laptop"]);
    expect([await statusFor(first.api_key), await statusFor(second.api_key)]).toEqual([200, 200]);
    expect(await json(["revoke", "--key", first.key_id])).toEqual({ revoked: true });
    await delay(1_000);
    expect([await statusFor(first.api_key), await statusFor(second.api_key)]).toEqual([401, 200]);
    expect(await json(["revoke", "--key", first.key_id])).toEqual({ revoked: false });
  });

  it("never lets the credits go below zero", async () => {
    const { account_id } = await json(["create", "--name", "Cyd", "--credits", "3"]);
    expect(await json(["credit", "--account", account_id, "--credits=-2"])).toEqual({ account_id, balance: 1 });
    const refused = await accounts(["credit", "--account", account_id, "--credits=-2"]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("cannot be negative")]);
    expect(await json(["credit", "--account", account_id, "--credits", "1"])).toEqual({ account_id, balance: 2 });
  });

  it.each([
    [["dance"], "there is no command dance"],
    [[], "a command is missing"],
    [["create"], "--name is missing"],
    [["credit", "--account", "x", "--credits", "many"], "--credits must be a whole number"],
    [["create", "--colour", "blue"], "--colour"],
  ])("says what is wrong with %j and how it is used", async (args, message) => {
    const { code, stdout, stderr } = await accounts(args);
    expect([code, stdout]).toEqual([64, ""]);
    expect(stderr).toContain(message);
    expect(stderr).toContain("accounts create --name NAME");
  });

  it.each([
    [["--plan", "subscriber", "--days", "soon"], "--days must be a whole number from 1 to 36500"],
    [["--plan", "subscriber", "--days", "0"], "--days must be a whole number from 1 to 36500"],
    [["--plan", "subscriber", "--days", "99999999999"], "--days must be a whole number from 1 to 36500"],
    [["--credits=-5"], "--credits of a new account cannot be negative"],
  ])("makes no account, whose key nobody would see, when asked for one with %j", async (args, message) => {
    const count = async () => (await database.db.api.query("select count(*) as n from app.accounts")).rows[0].n;
    const before = await count();
    const { code, stdout, stderr } = await accounts(["create", "--name", "Eve", ...args]);
    expect([code, stdout, stderr]).toEqual([64, "", expect.stringContaining(message)]);
    expect(await count()).toBe(before);
  });

  it("wants DATABASE_URL, and does not show it when it fails", async () => {
    expect((await accounts(["list"], {})).stderr).toContain("DATABASE_URL is not set");
    const wrong = "postgres://someone:hunter2@127.0.0.1:1/x";
    const { code, stderr } = await accounts(["list"], { DATABASE_URL: wrong });
    expect(code).toBe(1);
    expect(stderr).not.toContain("hunter2");
  });
});

describe("a bearer key", () => {
  it("opens only its own account's drafts", async () => {
    const [ada, bob] = [await json(["create", "--name", "Ada"]), await json(["create", "--name", "Bob"])];
    const intent = { name: "A", symbol: "A", image_uri: "ipfs://bafy", chain_id: 46630 };
    const store = (key: string) =>
      read.app.inject({
        method: "POST",
        url: "/api/v1/launchpad/intents",
        headers: { authorization: `Bearer ${key}`, "idempotency-key": "the-same-key" },
        payload: intent,
      });
    const [first, second] = [await store(ada.api_key), await store(bob.api_key)];
    expect([first.statusCode, second.statusCode]).toEqual([201, 201]);
    expect(first.json().id).not.toBe(second.json().id);
    const listed = await read.get("/intents", { authorization: `Bearer ${bob.api_key}` });
    expect(listed.json.items.map(({ id }: { id: string }) => id)).toEqual([second.json().id]);
  });

  it("is refused after its expiry", async () => {
    const made = await json(["create", "--name", "Dan"]);
    await database.db.api.query("update app.api_keys set expires_at = now() - interval '1 second' where id = $1", [
      made.key_id,
    ]);
    expect(await statusFor(made.api_key)).toBe(401);
  });
});
