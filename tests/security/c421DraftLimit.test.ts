import { randomUUID } from "node:crypto";
import { maxDrafts } from "@slipway/protocol/intent";
import { createAccount } from "@slipway/server/accounts/accounts";
import { createApiKeySecret } from "@slipway/server/accounts/apiKeys";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createReadApp, type ReadApp } from "../support/server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../support/server/readDatabase.ts";
import { testChainId } from "../support/server/testManifest.ts";

let database: ReadDatabase;
let read: ReadApp;
beforeAll(async () => {
  database = await startReadDatabase();
  read = await createReadApp(database.db, { WRITE_LIMIT_PER_SECOND: "100000", WRITE_LIMIT_BURST: "100000" });
});
afterAll(async () => {
  await read?.app.close();
  await database?.stop();
});

type Account = { id: string; headers: { authorization: string } };

async function openAccount(): Promise<Account> {
  const { ids } = read.deps;
  const { key, hash, prefix } = createApiKeySecret(ids);
  const id = ids.uuid();
  await createAccount(database.db.api, { accountId: id, name: "Ada", keyId: ids.uuid(), keyName: "key", hash, prefix });
  return { id, headers: { authorization: `Bearer ${key}` } };
}

const intent = {
  name: "Tin Boat",
  symbol: "TIN",
  image_uri: "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi",
  chain_id: testChainId,
};
const url = "/api/v1/launchpad/intents";
async function store({ headers }: Account, key: string = randomUUID(), payload: object = intent) {
  const answer = await read.app.inject({
    method: "POST",
    url,
    headers: { ...headers, "idempotency-key": key },
    payload,
  });
  return { status: answer.statusCode, body: answer.json() };
}
async function list({ headers }: Account, query = "") {
  const answer = await read.app.inject({ method: "GET", url: `${url}${query}`, headers });
  return { status: answer.statusCode, body: answer.json() };
}
async function remove({ headers }: Account, id: string) {
  const answer = await read.app.inject({ method: "DELETE", url: `${url}/${id}`, headers });
  return { status: answer.statusCode, body: answer.json() };
}

/** Stores drafts without the API, many of them with the same time. */
async function fill({ id }: Account, count: number): Promise<void> {
  await database.db.api.query(
    `insert into app.intents (id, account_id, idempotency_key, body_hash, intent, created_at)
     select gen_random_uuid(), $1, 'earlier-' || n, '\\x00', $3, now() - make_interval(secs => n / 40)
     from generate_series(1, $2::int) n`,
    [id, count, { ...intent, recipients: [], fee_bps: 100 }],
  );
}
const count = async ({ id }: Account) =>
  (await database.db.api.query("select count(*)::int as n from app.intents where account_id = $1", [id])).rows[0].n;

describe("the drafts of an account", () => {
  it("C4-21 number at most a thousand, also when the last ones are stored at once", async () => {
    const account = await openAccount();
    const other = await openAccount();
    await fill(account, maxDrafts - 5);
    const answers = await Promise.all(Array.from({ length: 40 }, () => store(account)));
    expect(await count(account)).toBe(maxDrafts);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    for (const { status, body } of answers.filter((answer) => answer.status !== 201)) {
      expect([status, body.error.code]).toEqual([422, "too_many_drafts"]);
    }
    expect((await store(other)).status).toBe(201);
  });

  it("C4-21 answer a retry when they are full, and make place by being deleted", async () => {
    const account = await openAccount();
    await fill(account, maxDrafts - 1);
    const key = randomUUID();
    const first = await store(account, key);
    expect(first.status).toBe(201);
    const refused = randomUUID();
    expect((await store(account, refused)).body.error.code).toBe("too_many_drafts");
    expect(await store(account, key)).toEqual({ status: 200, body: first.body });
    expect((await store(account, key, { ...intent, symbol: "OTHER" })).body.error.code).toBe("idempotency_key_reused");
    expect((await remove(account, first.body.id)).body).toEqual({ removed: true });
    // A rejected request did not use its key, and a deleted draft released its key.
    expect((await store(account, refused)).status).toBe(201);
    expect((await store(account, key)).body.error.code).toBe("too_many_drafts");
  });

  it("C4-21 are deleted by their account alone", async () => {
    const account = await openAccount();
    const other = await openAccount();
    const { id } = (await store(account)).body;
    for (const [who, what] of [
      [other, id],
      [account, randomUUID()],
    ] as const) {
      const { status, body } = await remove(who, what);
      expect([status, body.error.code]).toEqual([404, "not_found"]);
    }
    expect((await remove(account, "no-id")).status).toBe(400);
    expect((await remove(account, id)).status).toBe(200);
    expect((await remove(account, id)).status).toBe(404);
  });

  it("C4-21 take the labels of a launch with them, of which their account gets an event", async () => {
    const account = await openAccount();
    const { id } = (await store(account)).body;
    const token = `0x${"5b".repeat(20)}`;
    await database.db.api.query(
      "insert into app.launches_prepared (token, intent_id, account_id, wallet, splitter) values ($1, $2, $3, $1, $1)",
      [token, id, account.id],
    );
    await remove(account, id);
    const { rows } = await database.db.api.query(
      "select kind, details, (select count(*)::int from app.launches_prepared) as prepared from app.account_events where account_id = $1 and kind like 'draft%'",
      [account.id],
    );
    expect(rows).toEqual([
      { kind: "draft_deleted", details: { draft_id: id, tokens: [expect.stringMatching(/^0x5b/i)] }, prepared: 0 },
    ]);
  });

  it("are listed in pages of fifty, each draft once, also when drafts are deleted and stored meanwhile", async () => {
    const account = await openAccount();
    await fill(account, 260);
    const seen: string[] = [];
    let query = "";
    for (let pages = 0; pages < 10; pages++) {
      const { body } = await list(account, query);
      expect(body.items.length).toBeLessThanOrEqual(50);
      seen.push(...body.items.map(({ id }: { id: string }) => id));
      if (body.next_before === null) break;
      // The cursor's own draft is deleted, and a newer one is stored.
      await remove(account, seen.at(-1)!);
      await store(account);
      query = `?before=${body.next_before}`;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toHaveLength(260);
    for (const bad of ["?before=1", "?before=x", "?limit=5", `?before=${"9".repeat(30)}.${randomUUID()}`]) {
      expect((await list(account, bad)).body.error.code, bad).toBe("invalid_query");
    }
  });
});
