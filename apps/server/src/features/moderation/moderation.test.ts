import { describe, expect, test } from "vitest";
import { useBusinesses } from "../../../../../tests/support/businesses/useBusinesses.ts";
import { insertIndex, insertToken } from "../../../../../tests/support/server/rows.ts";
import { createExternalListing } from "../../providers/listings/rawFields.ts";
import { hashJson } from "../businesses/listing.ts";
import { storeExternal } from "../businesses/listingFeedQueries.ts";
import { listReports, moderate } from "./queries.ts";

const { fixture, createAccount, publish, send } = useBusinesses();
const block = async (key: string, kind: string, id: string, blocked = true) =>
  await send("PATCH", `/api/admin/${kind}s/${id}`, { key, body: { blocked, reason: "It is a test." } });
const symbols = (answer: { body: any }) => answer.body.items.map(({ symbol }: { symbol: string }) => symbol);

describe("a blocked listing", () => {
  test("is 404 and in no list, also for its owner, until the block ends", async () => {
    const { key } = await createAccount();
    const admin = await createAccount(["admin"]);
    const { body: listed } = await publish(key);
    const path = `/businesses/${listed.id}`;
    const blocked = await block(admin.key, "listing", listed.id);
    expect([blocked.status, blocked.body]).toMatchObject([200, { kind: "listing", id: listed.id, blocked: true }]);
    expect((await send("GET", path)).body.error.code).toBe("listing_not_found");
    for (const list of ["/businesses", "/businesses?q=tin", "/directory"]) {
      expect((await send("GET", list)).body.items).toEqual([]);
    }
    expect((await send("GET", "/directory")).body).toMatchObject({
      total: 0,
      sources: [{ source: "own", count: 0 }, {}, {}, {}, {}],
    });
    expect((await send("GET", "/api/account/businesses", { key })).body.items).toEqual([]);
    for (const method of ["PUT", "DELETE"]) {
      const body = method === "PUT" ? { name: "X", description: "X", category: "other" } : undefined;
      const refused = await send(method, path, { key, headers: { "if-match": "*" }, body });
      expect(refused.body.error.code).toBe("listing_not_found");
    }
    expect((await block(admin.key, "listing", listed.id, false)).body.blocked).toBe(false);
    expect((await send("GET", path)).status).toBe(200);
    const { rows } = await fixture.database.db.api.query(
      "select kind, target, blocked, reason, administrator from app.moderation_events order by id",
    );
    const entry = { kind: "listing", target: listed.id, reason: "It is a test.", administrator: admin.accountId };
    expect(rows).toEqual([
      { ...entry, blocked: true },
      { ...entry, blocked: false },
    ]);
    await expect(fixture.database.db.api.query("delete from app.moderation_events")).rejects.toThrow("append-only");
  });
});

describe("a blocked token", () => {
  test("is in no list and has no image; its page, trades and candles stay, with a warning", async () => {
    const { db } = fixture.database;
    await insertIndex(db);
    const image = "https://a.example/a.png";
    const first = await insertToken(db, 1, { symbol: "A", name: "Tin A", image });
    await insertToken(db, 2, { symbol: "B", name: "Tin B", image });
    const admin = await createAccount(["admin"]);
    expect(symbols(await send("GET", "/tokens"))).toHaveLength(2);
    expect((await send("GET", `/tokens/${first}`)).body.warnings.map(({ code }: any) => code)).not.toContain("blocked");
    // A cache without `startReadModel` looks for changes at most every 20 ms.
    const total = async () => (await send("GET", "/tokens")).body.total;
    expect((await block(admin.key, "token", first.toUpperCase().replace("0X", "0x"))).status).toBe(200);
    await expect.poll(total).toBe(1);
    for (const query of ["", "?sort=new", "?q=tin"]) {
      const answer = await send("GET", `/tokens${query}`);
      expect([symbols(answer), answer.body.total]).toEqual([["B"], 1]);
    }
    const page = await send("GET", `/tokens/${first}`);
    expect([page.status, page.body.image_url]).toEqual([200, null]);
    expect(page.body.warnings.map(({ code }: any) => code)).toContain("blocked");
    for (const part of ["trades", "candles"]) expect((await send("GET", `/tokens/${first}/${part}`)).status).toBe(200);
    await block(admin.key, "token", first, false);
    await expect.poll(total).toBe(2);
  });

  test("of an earlier deployment is not in the directory", async () => {
    const { db } = fixture.database;
    await insertIndex(db);
    const token = await insertToken(db, 1, { deployment_id: 2 });
    expect((await send("GET", "/directory")).body.total).toBe(1);
    await moderate(db.api, { kind: "token", target: token, blocked: true, reason: "x", administrator: null });
    expect((await send("GET", "/directory")).body).toMatchObject({ items: [], total: 0 });
  });
});

describe("a blocked token of an external list", () => {
  test("is not listed either, and is listed again when the block ends", async () => {
    const { db } = fixture.database;
    await insertIndex(db);
    const address = await insertToken(db, 1, { deployment_id: 2 });
    const store = async (name: string) => {
      const token = { chain_id: 46630, address, symbol: "T", decimals: 18 };
      const raw = { id: `46630:${address}`, kind: "token" as const, name, category: "token", token };
      const { id, listing } = createExternalListing(raw, { name: "List", licence: null })!;
      const bodyHash = hashJson(listing).toString("hex");
      await storeExternal(db.api, "partner_a", [{ id: `partner_a:${id}`, bodyHash, listing }]);
    };
    const change = (blocked: boolean) =>
      moderate(db.api, { kind: "token", target: address, blocked, reason: "x", administrator: null });
    const total = async () => (await send("GET", "/directory")).body.total;
    await change(true);
    await store("Before");
    expect(await total()).toBe(0);
    await change(false);
    expect(await total()).toBe(1);
    await change(true);
    await store("After");
    expect([await total(), (await send("GET", "/businesses")).body.items]).toEqual([0, []]);
  });
});

describe("a report", () => {
  test("is stored once per client address and target, and only for a target that exists", async () => {
    const { key } = await createAccount();
    const { body: listed } = await publish(key);
    const report = (body: object) => send("POST", "/reports", { body: { kind: "listing", reason: "scam", ...body } });
    for (const text of ["One.\nTwo.", "Again."]) {
      expect(await report({ id: listed.id, text })).toMatchObject({ status: 202, body: { received: true } });
    }
    expect(await listReports(fixture.database.db.api, { limit: 10, before: undefined })).toMatchObject([
      { kind: "listing", target: listed.id, reason: "scam", text: "One.\nTwo.", reports: 1 },
    ]);
    const { rows } = await fixture.database.db.api.query("select row_to_json(r)::text as row from app.reports r");
    expect(rows[0].row).not.toContain("127.0.0.1");
    expect((await report({ id: "shop" })).body.error).toMatchObject({ code: "invalid_fields", field: "id" });
  });
});
