import { afterAll, beforeAll, expect, test } from "vitest";
import { createReadApp, type ReadApp } from "../../../../../tests/support/server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import { createAccount } from "../../accounts/accounts.ts";
import { createApiKeySecret } from "../../accounts/apiKeys.ts";

let database: ReadDatabase;
let read: ReadApp;
beforeAll(async () => {
  database = await startReadDatabase();
  read = await createReadApp(database.db, { WRITE_LIMIT_PER_SECOND: "1", WRITE_LIMIT_BURST: "20" });
});
afterAll(async () => {
  await read?.app.close();
  await database?.stop();
});

/** The key of a new account: anybody with a wallet can create one. */
async function newKey(): Promise<string> {
  const { ids, db } = read.deps;
  const { key, hash, prefix } = createApiKeySecret(ids);
  const row = { accountId: ids.uuid(), name: "A", keyId: ids.uuid(), keyName: "k", hash, prefix, scopes: [] };
  await createAccount(db.api, row);
  return key;
}

async function send(key: string, remoteAddress: string): Promise<string> {
  const answer = await read.app.inject({
    method: "GET",
    url: "/api/v1/launchpad/intents",
    headers: { authorization: `Bearer ${key}` },
    remoteAddress,
  });
  return answer.statusCode === 429 ? answer.json().error.details.policy : String(answer.statusCode);
}

test("C4-10 an address gets no more requests for each account that it creates", async () => {
  const outcomes = new Map<string, number>();
  // Each account may send a hundred requests in a window of 20 seconds, and all accounts of this address two hundred.
  for (let account = 0; account < 20 && !outcomes.has("address"); account++) {
    const key = await newKey();
    for (let i = 0; i < 40; i++) {
      const outcome = await send(key, "192.0.2.1");
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  }
  expect([...outcomes.keys()].sort()).toEqual(["200", "address"]);
  // Twice the quota of one account.
  expect(outcomes.get("200")).toBeGreaterThanOrEqual(200);
  expect(await send(await newKey(), "192.0.2.2")).toBe("200");
});
