import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createReadApp } from "../../../../../tests/support/server/readApp.ts";
import { toAddress } from "../../../../../tests/support/server/rows.ts";
import { writeLaunch } from "../../../../../tests/support/webhooks/outboxRows.ts";
import { launches, useWebhooks } from "../../../../../tests/support/webhooks/useWebhooks.ts";
import { deleteAccount } from "../../accounts/deleteAccount.ts";
import { exportAccount } from "../../accounts/exportAccount.ts";

const hooks = useWebhooks();

describe("creating a webhook", () => {
  test("C6-33 shows its secret once, and stores it encrypted", async () => {
    const { key, id: accountId } = await hooks.newOwner();
    const idempotencyKey = randomUUID();
    const { status, body } = await hooks.create(key, {}, idempotencyKey);
    expect([status, body]).toEqual([201, { id: expect.any(String), secret: expect.stringMatching(/^whsec_.{44}$/) }]);
    const again = await hooks.create(key, {}, idempotencyKey);
    expect([again.status, again.body]).toEqual([200, { id: body.id, secret: null }]);

    const bytes = Buffer.from(body.secret.slice("whsec_".length), "base64");
    const [stored] = await hooks.query("select secret from app.webhooks");
    expect(stored.secret.includes(bytes)).toBe(false);
    const listed = await hooks.send("GET", "/api/webhooks", { key });
    const changed = await hooks.send("PATCH", `/api/webhooks/${body.id}`, { key, body: { status: "paused" } });
    const exported = (await exportAccount(hooks.database.db.api, accountId))!;
    let text = listed.text + changed.text;
    for await (const part of exported) text += part;
    expect(text).toContain(body.id);
    for (const form of ["base64", "hex"] as const) expect(text).not.toContain(bytes.toString(form));
    expect(text).not.toContain('secret"');
  });

  test("lists webhooks with their subject and status", async () => {
    const { key } = await hooks.newOwner();
    const subject = { kind: "trades", token: toAddress(1_001), min_quote_amount: "5" };
    const { body } = await hooks.create(key, { subject });
    expect((await hooks.send("GET", "/api/webhooks", { key })).body).toEqual({
      items: [
        {
          id: body.id,
          url: "https://hooks.example/in",
          subject,
          status: "enabled",
          disabled_reason: null,
          failing_since: null,
          last_error: null,
          previous_secret_until: null,
          created_at: expect.any(String),
        },
      ],
      max: 20,
    });
  });

  test("C6-35 refuses a URL that is not https at port 443 of a public host", async () => {
    const { key } = await hooks.newOwner();
    for (const url of [
      "http://hooks.example/in",
      "https://hooks.example:8443/in",
      "https://user:password@hooks.example/in",
      "https://localhost/in",
      "https://db.internal/in",
      "https://127.0.0.1/in",
      "https://2130706433/in",
      "https://0x7f.1/in",
      "https://10.0.0.1/in",
      "https://169.254.169.254/latest/meta-data",
      "https://[::1]/in",
      "https://[::ffff:10.0.0.1]/in",
      "ftp://hooks.example/in",
      "not a url",
      "",
      // Longer in the form in which it is stored.
      `https://hooks.example/${"é".repeat(1_000)}`,
    ]) {
      const { status, body } = await hooks.create(key, { url });
      expect([url, status, body.error.code, body.error.field]).toEqual([url, 422, "invalid_fields", "url"]);
    }
    const { body } = await hooks.create(key, { url: "https://93.184.216.34/in" });
    const change = { key, body: { url: "https://10.0.0.1/in" } };
    expect((await hooks.send("PATCH", `/api/webhooks/${body.id}`, change)).body.error.field).toBe("url");
  });

  test("refuses an invalid subject, and names the field", async () => {
    const { key } = await hooks.newOwner();
    const field = async (subject: object) => {
      const { status, body } = await hooks.create(key, { subject });
      return status === 422 ? body.error.field : status;
    };
    expect(await field({ kind: "launches", creator: toAddress(1), partner: toAddress(2) })).toBe("subject.partner");
    expect(await field({ kind: "trades" })).toBe("subject.token");
    expect(await field({ kind: "large_trades" })).toBe("subject.min_quote_amount");
    expect(await field({ kind: "large_trades", min_quote_amount: "0" })).toBe("subject.min_quote_amount");
    expect(await field({ kind: "wallet_trades", account: "0x1" })).toBe("subject.account");
    expect(await field({ kind: "price", token: toAddress(1), op: "above", price_eth: 0 })).toBe("subject.price_eth");
    expect(await field({ kind: "price", token: toAddress(1), op: "is", price_eth: 1 })).toBe("subject.op");
    expect(await field({ kind: "signals", pair: "btc" })).toBe("subject.pair");
    expect(await field({ kind: "retractions", token: toAddress(1) })).toBe("subject.token");
  });

  test("allows two webhooks without the plan and twenty with it, also for concurrent requests", async () => {
    for (const [plan, maximum] of [
      [false, 2],
      [true, 20],
    ] as const) {
      const { key } = await hooks.newOwner({ plan });
      const answers = await Promise.all(Array.from({ length: maximum + 3 }, () => hooks.create(key)));
      const codes = answers.map(({ status, body }) => (status === 201 ? "stored" : body.error.code));
      const count = (code: string) => codes.filter((one) => one === code).length;
      expect([count("stored"), count("too_many_webhooks")]).toEqual([maximum, 3]);
    }
  });

  test("answers 409 for a different request with the same key", async () => {
    const { key } = await hooks.newOwner();
    const idempotencyKey = randomUUID();
    await hooks.create(key, {}, idempotencyKey);
    const { status, body } = await hooks.create(key, { url: "https://other.example/" }, idempotencyKey);
    expect([status, body.error.code]).toEqual([409, "idempotency_key_reused"]);
  });

  test("answers 503 without AUTH_SECRET", async () => {
    const { key } = await hooks.newOwner();
    const { app } = await createReadApp(hooks.database.db);
    const headers = { authorization: `Bearer ${key}`, "idempotency-key": randomUUID() };
    const payload = { url: "https://hooks.example/", subject: launches };
    const answer = await app.inject({ method: "POST", url: "/api/webhooks", headers, payload });
    expect([answer.statusCode, answer.json().error.code]).toEqual([503, "provider_unavailable"]);
    await app.close();
  });
});

describe("changing a webhook", () => {
  test("pauses it at the last message, and enables it again within the limit of the plan", async () => {
    const { key } = await hooks.newOwner({ plan: false });
    const { body } = await hooks.create(key);
    const change = (id: string, body: object) => hooks.send("PATCH", `/api/webhooks/${id}`, { key, body });
    const url = "https://other.example/new?a=1";
    expect((await change(body.id, { status: "paused", url })).body).toMatchObject({ status: "paused", url });
    expect((await change(body.id, { status: "enabled" })).body).toMatchObject({ status: "enabled", url });
    expect((await change(body.id, {})).status).toBe(422);
    await change(body.id, { status: "paused" });
    await hooks.query("update app.webhooks set state = 'disabled', disabled_reason = 'plan'");
    await hooks.create(key);
    await hooks.query(
      `insert into app.webhooks (id, account_id, idempotency_key, body_hash, url, host, subject, match_key, secret)
       select gen_random_uuid(), account_id, 'another key', '', url, host, subject, match_key, secret from app.webhooks limit 1`,
    );
    const refused = await change(body.id, { status: "enabled" });
    expect([refused.status, refused.body.error.code]).toEqual([409, "too_many_webhooks"]);
  });

  test("C6-40 counts as slow until its endpoint has answered in time, also with a new URL or enabled again", async () => {
    const { key } = await hooks.newOwner();
    const { body } = await hooks.create(key);
    const isSlow = async () => (await hooks.query("select is_slow from app.webhooks"))[0].is_slow;
    expect(await isSlow()).toBe(true);
    const patch = (change: object) => hooks.send("PATCH", `/api/webhooks/${body.id}`, { key, body: change });
    for (const status of ["paused", "enabled"]) await patch({ status });
    expect(await isSlow()).toBe(true);
    await hooks.query("update app.webhooks set is_slow = false");
    for (const status of ["paused", "enabled"]) await patch({ status });
    expect(await isSlow()).toBe(false);
    await patch({ url: "https://hooks.example/other" });
    expect(await isSlow()).toBe(true);
  });

  test("queues one test message at a time, and lists it page by page", async () => {
    const { key } = await hooks.newOwner();
    const { body } = await hooks.create(key);
    const test = () => hooks.send("POST", `/api/webhooks/${body.id}/test`, { key });
    const [first, again] = [await test(), await test()];
    expect([first.status, first.body]).toEqual([202, { id: expect.stringMatching(/^msg_/) }]);
    expect(again.body).toEqual(first.body);
    await hooks.query("update app.webhook_deliveries set state = 'delivered'");
    const second = await test();
    const page = async (query: string) =>
      (await hooks.send("GET", `/api/webhooks/${body.id}/deliveries?limit=1${query}`, { key })).body;
    const newest = await page("");
    expect(newest.items).toEqual([
      {
        id: second.body.id,
        type: "test",
        status: "queued",
        attempts: 0,
        response_status: null,
        error: null,
        created_at: expect.any(String),
        finished_at: null,
      },
    ]);
    expect((await page(`&before=${newest.next_before}`)).items[0].id).toBe(first.body.id);
  });

  test("replays from a cursor, at most from the current one", async () => {
    const { key } = await hooks.newOwner();
    const { body } = await hooks.create(key);
    const replay = async (from: string) =>
      await hooks.send("POST", `/api/webhooks/${body.id}/replay?from=${from}`, { key });
    await writeLaunch(hooks.database.db, 1);
    expect((await replay("0")).body).toEqual({ cursor: "0" });
    expect((await replay("999")).body).toEqual({ cursor: "0" });
    expect((await replay("x")).status).toBe(400);
  });

  test("C6-34 answers for another account's webhook as for one that does not exist", async () => {
    const { key } = await hooks.newOwner();
    const { body } = await hooks.create(key);
    const other = await hooks.newOwner();
    const calls = (id: string) => [
      hooks.send("PATCH", `/api/webhooks/${id}`, { key: other.key, body: { status: "paused" } }),
      hooks.send("DELETE", `/api/webhooks/${id}`, { key: other.key }),
      hooks.send("GET", `/api/webhooks/${id}/deliveries`, { key: other.key }),
      hooks.send("POST", `/api/webhooks/${id}/replay?from=0`, { key: other.key }),
      hooks.send("POST", `/api/webhooks/${id}/test`, { key: other.key }),
      hooks.send("POST", `/api/webhooks/${id}/secret`, { key: other.key }),
    ];
    const read = async (id: string) =>
      (await Promise.all(calls(id))).map(({ status, body }) => [status, body.error.code, body.error.message]);
    const foreign = await read(body.id);
    expect(foreign).toEqual(await read(randomUUID()));
    expect(foreign.map(([status]) => status)).toEqual(Array(6).fill(404));
    expect((await hooks.list(key))[0].status).toBe("enabled");
  });

  test("deletes it, alone or with its account", async () => {
    const { key, id: accountId } = await hooks.newOwner();
    const { body } = await hooks.create(key);
    const remove = () => hooks.send("DELETE", `/api/webhooks/${body.id}`, { key });
    expect([(await remove()).body, (await remove()).status]).toEqual([{ removed: true }, 404]);
    await hooks.create(key);
    await deleteAccount(hooks.database.db.api, accountId);
    expect(await hooks.query("select from app.webhooks")).toEqual([]);
  });

  test("C6-43 deletes the queued messages with it, alone or with its account", async () => {
    const { key, id: accountId } = await hooks.newOwner();
    const fill = async () => {
      const { body } = await hooks.create(key);
      await hooks.send("POST", `/api/webhooks/${body.id}/test`, { key });
      return body.id as string;
    };
    const id = await fill();
    await hooks.query(
      "insert into app.webhook_deliveries (webhook_id, epoch, type, occurred_at, state) values ($1, 0, 'test', now(), 'delivered')",
      [id],
    );
    await hooks.send("DELETE", `/api/webhooks/${id}`, { key });
    await fill();
    await deleteAccount(hooks.database.db.api, accountId);
    expect(await hooks.query("select state from app.webhook_deliveries")).toEqual([{ state: "delivered" }]);
  });
});
