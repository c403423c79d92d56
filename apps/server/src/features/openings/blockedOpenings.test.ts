import { checksummed } from "@slipway/protocol/primitives";
import { beforeEach, describe, expect, test } from "vitest";
import { useBusinesses } from "../../../../../tests/support/businesses/useBusinesses.ts";
import { insertDeposit, insertOpening } from "../../../../../tests/support/server/insertOpening.ts";
import { insertIndex, toAddress } from "../../../../../tests/support/server/rows.ts";
import { listReports } from "../moderation/queries.ts";

const { fixture, createAccount, send } = useBusinesses();
const depositor = toAddress(11);
const document = {
  name: "Tin Trap",
  symbol: "TRAP",
  description: "Send me your seed phrase.",
  image: "https://trap.example/a.png",
  external_link: "https://trap.example/",
};
const texts = {
  name: document.name,
  symbol: document.symbol,
  contract_uri: `data:application/json;base64,${btoa(JSON.stringify(document))}`,
};
const hidden = { blocked: true, name: "", symbol: "", description: null, image_url: null, website: null };

let opening: string;
let other: string;
beforeEach(async () => {
  const { db } = fixture.database;
  await insertIndex(db);
  opening = await insertOpening(db, 1, texts);
  other = await insertOpening(db, 2);
  await insertDeposit(db, opening, depositor, 1);
});

const block = async (key: string, blocked = true, id = opening) =>
  await send("PATCH", `/api/admin/openings/${id}`, { key, body: { blocked, reason: "It is a trap." } });
const list = async (query = "") => {
  const { items } = (await send("GET", `/openings${query}`)).body;
  return items.map(({ address }: { address: string }) => address.toLowerCase());
};

describe("a blocked opening", () => {
  test("C5-75 is only in the lists of its depositors, without its texts, until the block ends", async () => {
    const admin = await createAccount(["admin"]);
    expect(await list()).toEqual([other, opening]);
    expect((await send("GET", `/openings/${opening}`)).body).toMatchObject({
      blocked: false,
      name: "Tin Trap",
      symbol: "TRAP",
      description: "Send me your seed phrase.",
      image_url: "https://trap.example/a.png",
      website: "https://trap.example/",
    });
    const sent = await block(admin.key, true, opening.toUpperCase().replace("0X", "0x"));
    expect([sent.status, sent.body]).toMatchObject([200, { kind: "opening", blocked: true }]);
    // A cache without `startReadModel` looks for changes at most every 20 ms.
    await expect.poll(() => list()).toEqual([other]);
    const filters = [`creator=${toAddress(2)}`, "status=ready", "limit=1", `creator=${toAddress(2)}&status=ready`];
    for (const filter of filters) expect(await list(`?${filter}`), filter).not.toContain(opening);
    const own = (await send("GET", `/openings?depositor=${depositor}`)).body;
    expect(own.items).toMatchObject([{ address: checksummed(opening), total: "1", ...hidden }]);
    expect(JSON.stringify(own)).not.toMatch(/trap|seed/i);
    expect(await list(`?depositor=${depositor}&status=ready`)).toEqual([opening]);
    expect((await send("GET", `/openings/${opening}/deposits`)).body.items).toHaveLength(1);
    await block(admin.key, false);
    await expect.poll(() => list()).toEqual([other, opening]);
    const { rows } = await fixture.database.db.api.query(
      "select kind, target, blocked, reason, administrator from app.moderation_events order by id",
    );
    const entry = { kind: "opening", target: opening, reason: "It is a trap.", administrator: admin.accountId };
    expect(rows).toEqual([
      { ...entry, blocked: true },
      { ...entry, blocked: false },
    ]);
  });

  test("C5-75 keeps its page without its texts, and the hash of the parameters proves its address", async () => {
    const admin = await createAccount(["admin"]);
    const path = `/openings/${opening}?account=${depositor}`;
    const before = (await send("GET", path)).body;
    expect([before.blocked, before.params.contract_uri]).toEqual([false, texts.contract_uri]);
    await block(admin.key);
    await expect.poll(async () => (await send("GET", path)).body.blocked).toBe(true);
    const { status, body } = await send("GET", path);
    const { params_hash } = before;
    const kept = { params: null, params_hash, status: "ready", account: { deposit: "1" } };
    expect([status, body]).toMatchObject([200, { ...hidden, ...kept }]);
    expect(JSON.stringify(body)).not.toMatch(/trap|seed/i);
    expect(JSON.stringify(body)).not.toContain(btoa(JSON.stringify(document)));
  });

  test("C5-75 has no warning about its hidden name", async () => {
    const admin = await createAccount(["admin"]);
    const { db } = fixture.database;
    const copy = await insertOpening(db, 3, { name: "Ether", symbol: "ETH" });
    expect((await send("GET", `/openings/${copy}`)).body.name_warning).toContain("ETH");
    await block(admin.key, true, copy);
    await expect.poll(async () => (await send("GET", `/openings/${copy}`)).body.name_warning).toBeNull();
  });

  test("is 404 for an address without an opening, which no row remembers", async () => {
    const admin = await createAccount(["admin"]);
    const unknown = await block(admin.key, true, toAddress(7));
    expect([unknown.status, unknown.body.error.code]).toEqual([404, "opening_not_indexed"]);
    const { rows } = await fixture.database.db.api.query("select from app.moderation_events");
    expect([rows, await list()]).toEqual([[], [other, opening]]);
  });

  test("C5-75 stays blocked when the index is built again", async () => {
    const admin = await createAccount(["admin"]);
    const { db } = fixture.database;
    await block(admin.key);
    await db.indexer.query("delete from chain.openings where address = $1", [opening]);
    await insertOpening(db, 1, texts);
    await expect.poll(async () => (await send("GET", `/openings/${opening}`)).body).toMatchObject(hidden);
  });
});

test("a report of an opening is stored, also of a blocked one, and only if the opening exists", async () => {
  const report = (id: string) => send("POST", "/reports", { body: { kind: "opening", id, reason: "scam" } });
  expect(await report(checksummed(opening))).toMatchObject({ status: 202, body: { received: true } });
  expect(await listReports(fixture.database.db.api, { limit: 10, before: undefined })).toMatchObject([
    { kind: "opening", target: opening, reason: "scam", reports: 1 },
  ]);
  expect((await report(toAddress(7))).body.error).toMatchObject({ code: "opening_not_indexed" });
  expect((await report("ark")).body.error).toMatchObject({ code: "invalid_fields", field: "id" });
});
