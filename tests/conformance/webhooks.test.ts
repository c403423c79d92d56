import { describe, expect } from "vitest";
import { signIn } from "../support/conformance/browser.ts";
import { call, statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import { newKey, newWebhook } from "../support/conformance/validCalls.ts";

const one = "/api/webhooks/{id}";
const unknownId = "01a20d0d-cbb8-7b6f-be14-66ffb11c33d2";

/** A new account without a plan, in a browser. */
const newAccount = async () => (await signIn(target.siteUrl)).headers;
const create = (headers: Record<string, string>, body = newWebhook(), key = newKey()) =>
  call("POST /api/webhooks", { key: null, headers: { ...headers, ...key }, body });

statusCase(
  "POST /api/webhooks",
  [201, 200, 409],
  "are stored once for each key, as many as the plan allows",
  async () => {
    const headers = await newAccount();
    const [webhook, key] = [newWebhook(), newKey()];
    const [first, again] = [await create(headers, webhook, key), await create(headers, webhook, key)];
    expect([first.status, again.status, again.body]).toEqual([201, 200, { id: first.body.id, secret: null }]);
    const other = await create(headers, newWebhook(), key);
    expect([other.status, other.body.error.code]).toEqual([409, "idempotency_key_reused"]);
    await create(headers);
    const third = await create(headers);
    expect([third.status, third.body.error.code]).toEqual([409, "too_many_webhooks"]);
  },
);

statusCase("GET /api/webhooks", 200, "are listed for their account alone", async () => {
  const headers = await newAccount();
  const { body: created } = await create(headers);
  const { status, body } = await call("GET /api/webhooks", { key: null, headers });
  expect([status, body.items.map(({ id }: { id: string }) => id), body.max]).toEqual([200, [created.id], 2]);
  expect((await call("GET /api/webhooks", { key: null, headers: await newAccount() })).body.items).toEqual([]);
});

statusCase(`PATCH ${one}`, 200, "are paused", async () => {
  const headers = await newAccount();
  const { body } = await create(headers);
  const paused = { key: null, headers, path: { id: body.id }, body: { status: "paused" } };
  expect((await call(`PATCH ${one}`, paused)).body).toMatchObject({ id: body.id, status: "paused" });
});

statusCase(`DELETE ${one}`, [200, 404], "are deleted once", async () => {
  const headers = await newAccount();
  const { body } = await create(headers);
  const remove = () => call(`DELETE ${one}`, { key: null, headers, path: { id: body.id } });
  expect((await remove()).body).toEqual({ removed: true });
  expect((await remove()).status).toBe(404);
});

statusCase(`POST ${one}/test`, 202, "get a test message, which their deliveries list", async () => {
  const headers = await newAccount();
  const { body } = await create(headers);
  const queued = await call(`POST ${one}/test`, { key: null, headers, path: { id: body.id } });
  expect(queued.status).toBe(202);
  const listed = await call(`GET ${one}/deliveries`, { key: null, headers, path: { id: body.id } });
  expect(listed.body.items).toMatchObject([{ id: queued.body.id, type: "test" }]);
});

statusCase(`GET ${one}/deliveries`, 200, "have a list of deliveries", async () => {
  const headers = await newAccount();
  const { body } = await create(headers);
  await call(`POST ${one}/test`, { key: null, headers, path: { id: body.id } });
  const { status, body: page } = await call(`GET ${one}/deliveries`, { key: null, headers, path: { id: body.id } });
  expect([status, page.items.length, page.next_before]).toEqual([200, 1, null]);
});

statusCase(`POST ${one}/replay`, 200, "are replayed from a cursor", async () => {
  const headers = await newAccount();
  const { body } = await create(headers);
  const replay = { key: null, headers, path: { id: body.id }, query: { from: "0" } };
  expect((await call(`POST ${one}/replay`, replay)).body).toEqual({ cursor: "0" });
});

statusCase(`POST ${one}/secret`, 200, "get a new secret", async () => {
  const headers = await newAccount();
  const { body } = await create(headers);
  const rotated = await call(`POST ${one}/secret`, { key: null, headers, path: { id: body.id } });
  expect([rotated.status, rotated.body.secret === body.secret]).toEqual([200, false]);
});

describe("an id", () => {
  for (const operation of [
    `PATCH ${one}`,
    `GET ${one}/deliveries`,
    `POST ${one}/replay`,
    `POST ${one}/test`,
    `POST ${one}/secret`,
  ]) {
    const input = {
      ...(operation.startsWith("PATCH") && { body: { status: "paused" } }),
      ...(operation.endsWith("/replay") && { query: { from: "0" } }),
    };
    statusCase(operation, 404, "of no webhook is not found", async () => {
      const answer = await call(operation, { ...input, path: { id: unknownId } });
      expect([answer.status, answer.body.error.code]).toEqual([404, "not_found"]);
    });
    statusCase(operation, 400, "is a UUID", async () => {
      expect((await call(operation, { ...input, path: { id: "x" } })).status).toBe(400);
    });
  }
  statusCase(`DELETE ${one}`, 400, "is a UUID", async () => {
    expect((await call(`DELETE ${one}`, { path: { id: "x" } })).status).toBe(400);
  });
});
