import { createApiKeySecret } from "../accounts/apiKeys.ts";
import { createAccount } from "../accounts/accounts.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createReadApp, type ReadApp } from "../../../../tests/support/server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../tests/support/server/readDatabase.ts";

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

async function createKey(): Promise<{ id: string; key: string }> {
  const { ids, db } = read.deps;
  const { key, ...stored } = createApiKeySecret(ids);
  const id = ids.uuid();
  await createAccount(db.api, { accountId: ids.uuid(), name: "A", keyId: id, keyName: "k", ...stored, scopes: [] });
  return { id, key };
}
const getStatus = async (key: string) => (await read.get("/intents", { authorization: `Bearer ${key}` })).status;

describe("a bearer key", () => {
  it("opens only its own account's drafts", async () => {
    const [ada, bob] = [await createKey(), await createKey()];
    const intent = { name: "A", symbol: "A", image_uri: "ipfs://bafy", chain_id: 46630 };
    const store = (key: string) =>
      read.app.inject({
        method: "POST",
        url: "/api/v1/launchpad/intents",
        headers: { authorization: `Bearer ${key}`, "idempotency-key": "the-same-key" },
        payload: intent,
      });
    const [first, second] = [await store(ada.key), await store(bob.key)];
    expect([first.statusCode, second.statusCode]).toEqual([201, 201]);
    expect(first.json().id).not.toBe(second.json().id);
    const listed = await read.get("/intents", { authorization: `Bearer ${bob.key}` });
    expect(listed.json.items.map(({ id }: { id: string }) => id)).toEqual([second.json().id]);
  });

  it("is refused after its expiry", async () => {
    const { id, key } = await createKey();
    await database.db.api.query("update app.api_keys set expires_at = now() - interval '1 second' where id = $1", [id]);
    expect(await getStatus(key)).toBe(401);
  });
});
