import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { createReadApp, type ReadApp } from "../../../../tests/support/server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../tests/support/server/readDatabase.ts";
import { createAccount } from "../accounts/accounts.ts";
import { createApiKeySecret } from "../accounts/apiKeys.ts";
import { principalTtlMs } from "./authenticate.ts";

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

/** Runs the lookups of keys, and delays their results until they are released. */
function holdLookups() {
  const { api } = database.db;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let count = 0;
  const query = api.query.bind(api) as (...values: unknown[]) => Promise<unknown>;
  const spy = vi.spyOn(api, "query");
  const held = async (...values: unknown[]) => {
    const result = await query(...values);
    if (typeof values[0] !== "string" || !values[0].includes("from app.api_keys where hash")) return result;
    count++;
    await released;
    return result;
  };
  spy.mockImplementation(held as never);
  onTestFinished(() => spy.mockRestore());
  return { count: () => count, release };
}

describe("a bearer key", () => {
  it("gives access only to its own account's drafts", async () => {
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

  it("is looked up once for concurrent requests", async () => {
    const { key } = await createKey();
    const lookups = holdLookups();
    const asked = Array.from({ length: 20 }, () => getStatus(key));
    await vi.waitUntil(() => lookups.count() > 0, 60_000);
    await new Promise((resolve) => setImmediate(resolve));
    lookups.release();
    expect(new Set(await Promise.all(asked))).toEqual(new Set([200]));
    expect(lookups.count()).toBe(1);
  });

  it("that was revoked is refused, even while an earlier lookup is pending", async () => {
    const { id, key } = await createKey();
    const lookups = holdLookups();
    const startedAt = Date.now();
    const early = getStatus(key);
    await vi.waitUntil(() => lookups.count() > 0, 60_000);
    await database.db.api.query("update app.api_keys set revoked_at = now() where id = $1", [id]);
    await vi.waitUntil(() => Date.now() - startedAt > principalTtlMs, 60_000);
    const later = getStatus(key);
    await vi.waitUntil(() => lookups.count() > 1, 60_000);
    lookups.release();
    expect([await early, await later, await getStatus(key)]).toEqual([200, 401, 401]);
  });

  it("is refused after its expiry", async () => {
    const { id, key } = await createKey();
    await database.db.api.query("update app.api_keys set expires_at = now() - interval '1 second' where id = $1", [id]);
    expect(await getStatus(key)).toBe(401);
  });
});
