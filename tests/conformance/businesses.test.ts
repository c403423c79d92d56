import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { call, statusCase } from "../support/conformance/statusCase.ts";
import { businessId, newBusiness, newKey } from "../support/conformance/validCalls.ts";

const publish = (body = newBusiness(), headers = newKey()) => call("POST /businesses", { headers, body });
const read = (id: string) => call("GET /businesses/{id}", { path: { id } });
const change = (id: string, ifMatch: string, body = newBusiness()) =>
  call("PUT /businesses/{id}", { path: { id }, headers: { "if-match": ifMatch }, body });
const withdraw = (id: string, ifMatch: string) =>
  call("DELETE /businesses/{id}", { path: { id }, headers: { "if-match": ifMatch } });

statusCase("POST /businesses", [201, 200, 409], "publishes once for a key and refuses other content", async () => {
  const [body, headers] = [newBusiness(), newKey()];
  const first = await publish(body, headers);
  expect(first.status).toBe(201);
  expect(first.body).toMatchObject({ ...body, kind: "business", source: "own", status: "published", token: null });
  const again = await publish(Object.fromEntries(Object.entries(body).reverse()), headers);
  expect([again.status, again.body]).toEqual([200, first.body]);
  const other = await publish(newBusiness(), headers);
  expect([other.status, other.body.error.code]).toEqual([409, "idempotency_key_reused"]);
});

statusCase("POST /businesses", 400, "needs an Idempotency-Key", async () => {
  for (const key of [undefined, "short77", "x".repeat(129)]) {
    const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key };
    const { status, body } = await publish(newBusiness(), headers);
    expect([status, body.error.code]).toEqual([400, "idempotency_key_missing"]);
  }
});

statusCase("POST /businesses", 422, "lists every fault of the body", async () => {
  const { status, body } = await publish({ name: "", category: "none", token: "0x1" });
  expect([status, body.error.code]).toEqual([422, "invalid_fields"]);
  const fields = body.error.details.fields.map(({ field }: { field: string }) => field);
  expect(fields.sort()).toEqual(["category", "description", "name", "token"]);
});

statusCase("GET /businesses", 200, "lists a published business by its name", async () => {
  const { body: published } = await publish();
  const { status, body } = await call("GET /businesses", { query: { q: published.name } });
  expect([status, body.items]).toEqual([200, [published]]);
});

statusCase(
  "GET /businesses",
  400,
  "refuses a filter that it does not know and a cursor that it did not issue",
  async () => {
    const queries: Record<string, string>[] = [
      { source: "legacy" },
      { kind: "shop" },
      { limit: "101" },
      { q: "x".repeat(201) },
      { cursor: "YQ" },
    ];
    for (const query of queries) {
      const { status, body } = await call("GET /businesses", { query });
      expect([status, body.error.code]).toEqual([400, "invalid_query"]);
    }
  },
);

statusCase(
  "GET /businesses/{id}",
  200,
  "serves a listing",
  async () => {
    const { status, body } = await read(businessId);
    expect([status, body.id, body.name]).toEqual([200, businessId, "Kite Shop"]);
  },
  { signs: true },
);

statusCase("GET /businesses/{id}", [400, 404], "refuses what is no id, and finds no other listing", async () => {
  expect((await read("shop")).body.error.code).toBe("invalid_request");
  for (const id of [randomUUID(), encodeURIComponent("partner_a:none/of:them")]) {
    expect((await read(id)).body.error.code).toBe("listing_not_found");
  }
});

statusCase("PUT /businesses/{id}", [200, 400, 404, 412], "changes the listing that its owner has read", async () => {
  const { body: before, headers } = await publish();
  const other = await change(before.id, '"other"');
  expect([other.status, other.body.error.code]).toEqual([412, "precondition_failed"]);
  const body = newBusiness();
  const changed = await change(before.id, headers.get("etag")!, body);
  expect(changed.status).toBe(200);
  expect(changed.body).toMatchObject({ ...body, id: before.id, created_at: before.created_at });
  const now = await read(before.id);
  expect([now.body, now.headers.get("etag")]).toEqual([changed.body, changed.headers.get("etag")]);
  const missing = await call("PUT /businesses/{id}", { path: { id: before.id }, body });
  expect([missing.status, missing.body.error.field]).toEqual([400, "If-Match"]);
  expect((await change(randomUUID(), "*")).body.error.code).toBe("listing_not_found");
});

statusCase("DELETE /businesses/{id}", [200, 400, 404, 412], "withdraws a listing for good", async () => {
  const { body, headers } = await publish();
  expect((await withdraw(body.id, '"other"')).status).toBe(412);
  expect((await call("DELETE /businesses/{id}", { path: { id: body.id } })).status).toBe(400);
  expect((await withdraw(body.id, headers.get("etag")!)).body).toEqual({ removed: true });
  expect((await withdraw(body.id, "*")).status).toBe(404);
  expect((await read(body.id)).status).toBe(404);
});

statusCase("GET /api/account/businesses", 200, "lists the account's own with their ETags", async () => {
  const { status, body } = await call("GET /api/account/businesses");
  expect([status, body.items]).toEqual([200, []]);
});

statusCase("GET /directory", 200, "lists a published business among all sources", async () => {
  const { body: published } = await publish();
  const { status, body } = await call("GET /directory", { query: { q: published.name } });
  expect([status, body.items, body.total]).toEqual([200, [{ ...published, also_on: [] }], 1]);
  const names = body.sources.map(({ source }: { source: string }) => source);
  expect(names).toEqual(["own", "partner_a", "partner_b", "partner_c", "legacy"]);
});

statusCase("GET /directory", 400, "refuses an unknown source and a cursor of another list", async () => {
  await publish();
  await publish();
  const { body: page } = await call("GET /businesses", { query: { limit: "1" } });
  const queries: Record<string, string>[] = [{ source: "none" }, { limit: "0" }, { cursor: page.next_cursor }];
  for (const query of queries) expect((await call("GET /directory", { query })).body.error.code).toBe("invalid_query");
});

statusCase(
  "POST /businesses/{id}/website-proof",
  [200, 400, 404, 422],
  "names the code and where it is looked for",
  async () => {
    const prove = (id: string) => call("POST /businesses/{id}/website-proof", { path: { id } });
    const { body: listed } = await publish({ ...newBusiness(), website: "https://shop.example/paper" });
    const { status, body } = await prove(listed.id);
    expect([status, body]).toMatchObject([
      200,
      { file_url: "https://shop.example/.well-known/slipway.txt", dns_name: "_slipway.shop.example" },
    ]);
    expect(body.code).toMatch(/^[0-9a-f]{32}$/);
    const { body: without } = await publish();
    expect((await prove(without.id)).body.error.field).toBe("website");
    expect((await prove(randomUUID())).body.error.code).toBe("listing_not_found");
    expect((await prove("shop")).body.error.code).toBe("invalid_request");
  },
);
