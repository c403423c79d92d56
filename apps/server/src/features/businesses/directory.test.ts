import { directory } from "@slipway/protocol/businesses";
import type { Listing } from "@slipway/protocol/listing";
import { expect, test } from "vitest";
import { bakery, useBusinesses } from "../../../../../tests/support/businesses/useBusinesses.ts";
import { insertIndex, insertToken } from "../../../../../tests/support/server/rows.ts";
import { hashJson, toColumns } from "./listing.ts";

const { fixture, createAccount, publish, send } = useBusinesses();
const read = async (query = "") => {
  const answer = await send("GET", `/directory${query}`);
  expect(answer.status).toBe(200);
  expect(directory.parse(answer.body)).toEqual(answer.body);
  return { ...answer.body, headers: answer.headers };
};
const ids = (answer: { items: { id: string }[] }) => answer.items.map(({ id }) => id);
const countBySource = (answer: { sources: { source: string; count: number }[] }) =>
  Object.fromEntries(answer.sources.map(({ source, count }) => [source, count]));

const external: Listing = {
  ...{ kind: "business", name: "Tin Boat Bakery", description: null, category: "other", image_uri: null },
  ...{ website: "https://www.tin.example/shop", email: null, phone: null, address: null, location: null, hours: null },
  ...{ tags: [], links: {}, token: null, attribution: { source_name: "List", url: null, licence: null } },
};

async function insertExternal(id: string, change: Partial<Listing> = {}): Promise<void> {
  const listing = { ...external, ...change };
  const columns = toColumns(listing, null);
  await fixture.database.db.api.query(
    `insert into app.listings (id, source, kind, listing, body_hash, name, search_text, category, merge_key)
     values ($1, split_part($1, ':', 1), $2, $3, $4, $5, $6, $7, $8)`,
    [
      ...[id, listing.kind, listing, hashJson(listing), columns.name, columns.search_text],
      ...[columns.category, columns.merge_key],
    ],
  );
}

/** Requests the proof of a listing and stores a result in place of the job. */
async function setProof(id: string, key: string, status: "verified" | "failed"): Promise<void> {
  expect((await send("POST", `/businesses/${id}/website-proof`, { key })).status).toBe(200);
  await fixture.database.db.api.query("update app.website_proofs set status = $2 where listing_id = $1", [id, status]);
}

test("lists a business of several sources once, with the own listing first, and the others after its withdrawal", async () => {
  const { key } = await createAccount();
  await insertExternal("partner_b:1", { name: "TIN BOAT BAKERY" });
  await insertExternal("partner_a:1");
  await insertExternal("partner_a:2", { name: "Other" });
  expect(ids(await read())).toEqual(["partner_a:2", "partner_a:1"]);
  const { body: own } = await publish(key, { website: "https://tin.example" });
  await setProof(own.id, key, "verified");
  const merged = await read();
  expect(ids(merged)).toEqual([own.id, "partner_a:2"]);
  expect(merged.items[0].also_on).toEqual([
    { source: "partner_a", id: "partner_a:1", url: null },
    { source: "partner_b", id: "partner_b:1", url: null },
  ]);
  expect([merged.total, countBySource(merged)]).toEqual([
    2,
    { own: 1, partner_a: 2, partner_b: 1, partner_c: 0, legacy: 0 },
  ]);
  expect(ids(await read("?source=partner_b"))).toEqual(["partner_b:1"]);
  expect((await read("?q=tin%20boat")).total).toBe(1);
  await send("DELETE", `/businesses/${own.id}`, { key, headers: { "if-match": "*" } });
  const alone = await read();
  expect([ids(alone), alone.total]).toEqual([["partner_a:2", "partner_a:1"], 2]);
});

test("C5-36 a listing without a verified website neither hides nor references other listings of its business", async () => {
  await insertExternal("partner_a:1");
  const stranger = await createAccount();
  const { body: copy } = await publish(stranger.key, { website: "https://tin.example", email: "me@evil.example" });
  const both = await read();
  expect([new Set(ids(both)), both.total]).toEqual([new Set([copy.id, "partner_a:1"]), 2]);
  expect(both.items.map(({ also_on }: { also_on: unknown }) => also_on)).toEqual([[], []]);
  expect((await read("?q=tin%20boat")).total).toBe(2);

  // Only the verified one of two own listings hides the external listing, while its website is verified.
  const owner = await createAccount();
  const { body: own, headers } = await publish(owner.key, { website: "https://tin.example" });
  await setProof(own.id, owner.key, "verified");
  const proven = await read();
  expect([new Set(ids(proven)), proven.total]).toEqual([new Set([copy.id, own.id]), 2]);
  const found = proven.items.find(({ id }: { id: string }) => id === own.id);
  expect(found.also_on).toEqual([{ source: "partner_a", id: "partner_a:1", url: null }]);
  await setProof(own.id, owner.key, "failed");
  expect(ids(await read())).toContain("partner_a:1");
  await setProof(own.id, owner.key, "verified");
  expect(ids(await read())).not.toContain("partner_a:1");
  // Changing the website to another page of the same host ends the proof.
  const change = { ...bakery, website: "https://tin.example/other" };
  const etag = (await send("GET", `/businesses/${own.id}`)).headers.etag as string;
  expect(etag).not.toBe(headers.etag);
  const sent = { key: owner.key, headers: { "if-match": etag }, body: change };
  expect((await send("PUT", `/businesses/${own.id}`, sent)).status).toBe(200);
  const ended = await read();
  expect([new Set(ids(ended)), ended.total]).toEqual([new Set([copy.id, own.id, "partner_a:1"]), 3]);
});

test("lists tokens of earlier deployments among the listings, once if an external list also names them", async () => {
  const { db } = fixture.database;
  await insertIndex(db);
  for (let n = 1; n <= 3; n++)
    await insertToken(db, n, { name: `Old ${n}`, symbol: `O${n}`, deployment_id: 2, block_time: n });
  await insertToken(db, 4, { name: "Old and current", symbol: "C" });
  const { key } = await createAccount();
  const { body: own } = await publish(key, { name: "Oldest" });
  const { rows } = await db.api.query<{ address: string }>("select address from chain.tokens order by id");
  const legacy = rows.slice(0, 3).map(({ address }) => `legacy:${address}`);
  expect(ids(await read())).toEqual([own.id, ...legacy.toReversed()]);
  expect(ids(await read("?source=legacy"))).toEqual(legacy.toReversed());
  await insertExternal("partner_c:t", {
    ...{ kind: "token", website: null, name: "Old 2" },
    token: { chain_id: 46630, address: rows[1]!.address, symbol: "O2", decimals: 18 },
  });
  const first = await read("?limit=2");
  const second = await read(`?limit=2&cursor=${first.next_cursor}`);
  expect([...ids(first), ...ids(second)]).toEqual(["partner_c:t", own.id, legacy[2], legacy[0]]);
  expect([first.total, second.next_cursor, countBySource(first).legacy]).toEqual([4, null, 3]);
  expect(first.items[0].also_on).toEqual([{ source: "legacy", id: legacy[1], url: null }]);
  const found = await read("?q=OLD&limit=3");
  expect(found.total).toBe(4);
  const all = [...ids(found), ...ids(await read(`?q=OLD&limit=3&cursor=${found.next_cursor}`))];
  expect(new Set(all)).toEqual(new Set([own.id, "partner_c:t", legacy[0], legacy[2]]));
  expect(all).toHaveLength(4);
  expect(found.items.find(({ id }: { id: string }) => id === legacy[2])).toMatchObject({
    ...{ kind: "token", source: "legacy", category: "token", token: { chain_id: 46630, symbol: "O3" } },
  });
});

test("has an ETag that stays the same while nothing changes", async () => {
  const { key } = await createAccount();
  await publish(key);
  const { headers } = await read();
  expect(headers["cache-control"]).toBe("public, max-age=10");
  const again = await send("GET", "/directory", { headers: { "if-none-match": headers.etag } });
  expect(again.status).toBe(304);
  await publish(key, { name: "Second" });
  expect((await read()).headers.etag).not.toBe(headers.etag);
});

test("GET by id returns a token of an earlier deployment like the directory, with its processed picture", async () => {
  const { db } = fixture.database;
  await insertIndex(db);
  const image = "https://a.example/i.png";
  const token = await insertToken(db, 1, { name: "Old", symbol: "O", deployment_id: 2, image });
  const current = await insertToken(db, 2, { name: "Current", symbol: "C" });
  const get = (id: string) => send("GET", `/businesses/${encodeURIComponent(id)}`);
  const compare = async () => {
    const { also_on, ...listed } = (await read()).items[0];
    const { status, body, headers } = await get(`legacy:${token}`);
    expect([status, body]).toEqual([200, listed]);
    expect(headers.etag).toMatch(/^"/);
    expect((await get(`legacy:${token.toUpperCase().replace("0X", "0x")}`)).body).toEqual(listed);
    return listed.image;
  };
  expect(await compare()).toMatchObject({ uri: image, sha256: null });

  const sha256 = "ab".repeat(32);
  await db.api.query(
    `insert into app.images (sha256, cid, content_type, bytes, width, height, animated, blurhash, dominant_color)
     values (decode($1, 'hex'), $1, 'image/webp', 10, 120, 80, false, 'L0', '#102030')`,
    [sha256],
  );
  await db.api.query("insert into app.token_images (token, uri, sha256) values ($1, 'x', decode($2, 'hex'))", [
    ...[token, sha256],
  ]);
  expect(await compare()).toMatchObject({ uri: image, sha256, width: 120 });
  await db.api.query("update app.images set blocked_at = now()");
  expect(await compare()).toBeNull();

  for (const id of [`legacy:${current}`, `legacy:0x${"12".repeat(20)}`]) {
    const { status, body } = await get(id);
    expect([status, body.error.code]).toEqual([404, "listing_not_found"]);
  }
  await db.api.query("insert into app.blocked_tokens (token, blocked_at) values ($1, now())", [token]);
  expect((await get(`legacy:${token}`)).status).toBe(404);
  for (const id of ["legacy:0x12", "legacy:", "legacy:x"]) expect((await get(id)).status).toBe(400);
  // No account owns the token's listing.
  const { key } = await createAccount();
  const refused = await send("DELETE", `/businesses/legacy:${token}`, { key, headers: { "if-match": "*" } });
  expect(refused.body.error.code).toBe("listing_not_found");
});
