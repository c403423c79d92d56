import { business, businessList } from "@slipway/protocol/businesses";
import { describe, expect, test } from "vitest";
import { bakery, useBusinesses } from "../../../../../tests/support/businesses/useBusinesses.ts";

const { fixture, createAccount, publish, send } = useBusinesses();
const names = (answer: { body: any }) => answer.body.items.map(({ name }: { name: string }) => name);
const list = async (query = "") => await send("GET", `/businesses${query}`);

describe("POST /businesses", () => {
  test("publishes a listing with every field, cleaned, and serves it", async () => {
    const { key } = await createAccount();
    const answer = await publish(key, {
      name: "  Cafe\u0301\u00a0 Boat ",
      description: "One.\r\n\r\n\r\nTwo.",
      website: "https://Bücher.example",
      image_uri: "ipfs://bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy",
      email: "a@tin.example",
      phone: "+4930123456",
      address: { city: "Berlin", country: "DE" },
      location: { lat: 52.52, lon: 13.405 },
      hours: "Mo-Fr 9-17",
      tags: ["bread", "boat", "bread"],
      links: { x: "https://x.com/tin", github: "https://github.com/tin" },
    });
    expect(answer.status).toBe(201);
    expect(business.parse(answer.body)).toEqual(answer.body);
    expect(answer.body).toMatchObject({
      ...{ kind: "business", source: "own", name: "Café Boat", description: "One.\n\nTwo.", status: "published" },
      website: "https://xn--bcher-kva.example/",
      contact: { email: "a@tin.example", phone: "+4930123456", hours: "Mo-Fr 9-17" },
      address: { street: null, city: "Berlin", country: "DE" },
      ...{
        tags: ["bread", "boat"],
        token: null,
        verified: { website: false, owner: false, links: { x: false, github: false } },
      },
      image: { uri: expect.stringContaining("ipfs://"), sha256: null, urls: null },
    });
    const read = await send("GET", `/businesses/${answer.body.id}`);
    expect([read.status, read.body]).toEqual([200, answer.body]);
    expect(read.headers).toMatchObject({ etag: answer.headers.etag, "cache-control": "public, max-age=10" });
    const again = await send("GET", `/businesses/${answer.body.id}`, {
      headers: { "if-none-match": read.headers.etag },
    });
    expect(again.status).toBe(304);
  });

  test("reports all faults at once", async () => {
    const { key } = await createAccount();
    const { status, body } = await publish(key, {
      name: "Tin\u202eBoat",
      description: undefined,
      category: "boats",
      website: "http://tin.example",
      phone: "030",
      location: { lat: 91, lon: "13" },
      tags: ["Bread"],
      links: { x: "https://y.example/tin", mastodon: "https://z.example" },
      address: { country: "XX" },
      token: "0x1",
    });
    expect([status, body.error.code]).toEqual([422, "invalid_fields"]);
    const faults = Object.fromEntries(body.error.details.fields.map((one: any) => [one.field, one.code]));
    expect(faults).toEqual({
      name: "bidi_control",
      description: "required",
      category: "not_allowed",
      website: "scheme",
      phone: "wrong_form",
      "location.lat": "too_large",
      "location.lon": "wrong_type",
      "tags[0]": "wrong_form",
      "links.x": "other_host",
      "links.mastodon": "unknown_field",
      "address.country": "invalid",
      token: "unknown_field",
    });
    for (const { field, message } of body.error.details.fields) expect(message).toContain(field);
  });

  test("returns the listing for a retry and refuses other content; fifty concurrent requests publish one listing", async () => {
    const { key } = await createAccount();
    const answers = await Promise.all(Array.from({ length: 50 }, () => publish(key, {}, "the-same-key")));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([...Array(49).fill(200), 201]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect((await publish(key, { name: "Other" }, "the-same-key")).status).toBe(409);
    const other = await createAccount();
    expect((await publish(other.key, { name: "Other" }, "the-same-key")).status).toBe(201);
    expect((await publish(key, { name: "" }, "an-unused-key")).status).toBe(422);
    expect((await publish(key, {}, "an-unused-key")).status).toBe(201);
    expect((await publish(key, {}, "short")).body.error.code).toBe("idempotency_key_missing");
  });

  test("counts published listings and refuses the listing after the hundredth", async () => {
    const { key, accountId } = await createAccount();
    const { db } = fixture.database;
    await publish(key);
    await db.api.query(
      `insert into app.listings (id, source, account_id, body_hash, kind, listing, name, search_text, category)
       select 'x' || n, 'own', account_id, body_hash, kind, listing, name, search_text, category
       from app.listings, generate_series(2, 100) n where account_id = $1`,
      [accountId],
    );
    expect((await publish(key)).body.error.code).toBe("too_many_listings");
    const { rows } = await db.api.query("select count, leads from app.listing_sources where source = 'own'");
    expect(rows).toEqual([{ count: 100, leads: 100 }]);
  });
});

describe("GET /businesses", () => {
  test("pages through all listings, newest first, while others are published", async () => {
    const { key } = await createAccount();
    for (let n = 1; n <= 7; n++) await publish(key, { name: `Shop ${n}` });
    const first = await list("?limit=3");
    expect(businessList.parse(first.body)).toEqual(first.body);
    expect(names(first)).toEqual(["Shop 7", "Shop 6", "Shop 5"]);
    await publish(key, { name: "Shop 8" });
    const second = await list(`?limit=3&cursor=${first.body.next_cursor}`);
    const third = await list(`?limit=100&cursor=${second.body.next_cursor}`);
    expect([...names(second), ...names(third)]).toEqual(["Shop 4", "Shop 3", "Shop 2", "Shop 1"]);
    expect(third.body.next_cursor).toBeNull();
  });

  test("filters by kind, category, country and source", async () => {
    const { key } = await createAccount();
    await publish(key, { name: "A", category: "games", address: { country: "DE" } });
    await publish(key, { name: "B", category: "games" });
    await publish(key, { name: "C", address: { country: "DE" } });
    expect(names(await list("?category=games"))).toEqual(["B", "A"]);
    expect(names(await list("?category=games&country=DE"))).toEqual(["A"]);
    expect(names(await list("?source=own&kind=business"))).toEqual(["C", "B", "A"]);
    expect(names(await list("?source=partner_a"))).toEqual([]);
    expect(names(await list("?kind=token"))).toEqual([]);
    for (const query of [
      "?category=boats",
      "?country=ZZ",
      "?source=legacy",
      "?near=91,0",
      "?radius_km=5",
      "?limit=101",
    ]) {
      expect((await list(query)).status, query).toBe(400);
    }
  });

  test("ranks by relevance, then age; finds similar names if nothing contains the text", async () => {
    const { key } = await createAccount();
    for (const name of ["Tin", "Boat of Tin", "Martin", "Tin Boat", "Other"]) await publish(key, { name });
    await publish(key, { name: "Cups", description: "Of tin." });
    expect(names(await list("?q=TIN"))).toEqual(["Tin", "Tin Boat", "Boat of Tin", "Martin", "Cups"]);
    const first = await list("?q=tin&limit=2");
    const rest = await list(`?q=tin&limit=9&cursor=${first.body.next_cursor}`);
    expect(names(rest)).toEqual(["Boat of Tin", "Martin", "Cups"]);
    expect(names(await list("?q=martyn"))).toEqual(["Martin"]);
    expect(names(await list("?q=%25"))).toEqual([]);
    expect(names(await list("?q=_"))).toEqual([]);
  });

  test("finds nearby listings, nearest first, across the antimeridian and at the poles", async () => {
    const { key } = await createAccount();
    const places = {
      Suva: { lat: -18.1416, lon: 178.4419 },
      Taveuni: { lat: -16.8, lon: -179.95 },
      "North Pole": { lat: 90, lon: 0 },
      Ice: { lat: 89.9, lon: 180 },
      Berlin: { lat: 52.52, lon: 13.405 },
      Potsdam: { lat: 52.3906, lon: 13.0645 },
    };
    for (const [name, location] of Object.entries(places)) await publish(key, { name, location });
    await publish(key, { name: "Nowhere" });
    expect(names(await list("?near=-17,179.9&radius_km=250"))).toEqual(["Taveuni", "Suva"]);
    expect(names(await list("?near=-17,-179.9&radius_km=30"))).toEqual(["Taveuni"]);
    expect(names(await list("?near=89.95,-90&radius_km=20"))).toEqual(["North Pole", "Ice"]);
    expect(names(await list("?near=52.52,13.405"))).toEqual(["Berlin"]);
    expect(names(await list("?near=52.5,13.4&radius_km=50&limit=1"))).toEqual(["Berlin"]);
    const all = await list("?near=52.5,13.4&radius_km=20038&limit=2");
    expect(names(all)).toEqual(["Berlin", "Potsdam"]);
    const rest = await list(`?near=52.5,13.4&radius_km=20038&cursor=${all.body.next_cursor}`);
    expect(names(rest)).toEqual(["North Pole", "Ice", "Taveuni", "Suva"]);
  });
});

describe("PUT and DELETE /businesses/{id}", () => {
  test("change only the version that the owner has read", async () => {
    const { key } = await createAccount();
    const { body: first, headers } = await publish(key);
    const path = `/businesses/${first.id}`;
    const put = (ifMatch: string | undefined, body: object = { ...bakery, name: "New" }) =>
      send("PUT", path, { key, body, ...(ifMatch !== undefined && { headers: { "if-match": ifMatch } }) });
    expect((await put(undefined)).body.error).toMatchObject({ code: "invalid_request", field: "If-Match" });
    expect((await put('"other"')).status).toBe(412);
    expect((await put(`W/${headers.etag}`)).status).toBe(412);
    const changed = await put(`"x", ${headers.etag}`);
    expect([changed.status, changed.body.name, changed.body.created_at]).toEqual([200, "New", first.created_at]);
    expect((await put(headers.etag)).body.error.code).toBe("precondition_failed");
    expect((await send("GET", path)).headers.etag).toBe(changed.headers.etag);
    const listed = await send("GET", "/api/account/businesses", { key });
    expect(listed.body.items).toEqual([{ business: changed.body, etag: changed.headers.etag, website_proof: null }]);
    expect((await send("DELETE", path, { key })).status).toBe(400);
    expect((await send("DELETE", path, { key, headers: { "if-match": headers.etag } })).status).toBe(412);
    expect((await send("DELETE", path, { key, headers: { "if-match": "*" } })).status).toBe(200);
    for (const answer of [await send("GET", path), await put("*")]) {
      expect([answer.status, answer.body.error.code]).toEqual([404, "listing_not_found"]);
    }
  });
});

describe("a published listing", () => {
  test("C5-48 has a verified link while the account has proven the handle in the link, and one proven handle verifies no other link", async () => {
    const { key, accountId } = await createAccount();
    const { db } = fixture.database;
    const x = "https://x.com/Tin";
    const { body: listed } = await publish(key, { links: { x } });
    const [strange, unprovable] = await Promise.all([
      publish(key, { links: { x, github: "https://github.com/boat" } }),
      publish(key, { links: { x, telegram: "https://t.me/boat" } }),
    ]);
    const getVerified = async (id: string) => (await send("GET", `/businesses/${id}`)).body.verified;
    const isVerified = async () => (await getVerified(listed.id)).owner;
    await db.api.query(
      `insert into app.users (id, name, email, email_verified) values ($1::uuid, 'Ada', $1::text || '@ada.example', false)`,
      [accountId],
    );
    await db.api.query(
      "insert into app.identities (id, user_id, provider_id, account_id) values (gen_random_uuid(), $1, 'social', '7')",
      [accountId],
    );
    const insertHandle =
      "insert into app.provider_handles (provider_id, account_id, handle) values ('social', '7', $1)";
    await db.api.query(insertHandle, ["other"]);
    expect(await isVerified()).toBe(false);
    await db.api.query("update app.provider_handles set handle = 'tin'");
    expect(await getVerified(listed.id)).toEqual({ website: false, owner: true, links: { x: true } });
    const partly = { website: false, owner: false };
    expect(await getVerified(strange.body.id)).toEqual({ ...partly, links: { x: true, github: false } });
    expect(await getVerified(unprovable.body.id)).toEqual({ ...partly, links: { x: true, telegram: false } });
    await db.api.query("delete from app.identities");
    expect(await isVerified()).toBe(false);
  });

  test("describes a stored picture, and omits a blocked picture", async () => {
    const { key } = await createAccount();
    const { db } = fixture.database;
    const cid = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy";
    await db.api.query(
      `insert into app.images (sha256, cid, content_type, bytes, width, height, animated, blurhash, dominant_color)
       values (decode(repeat('ab', 32), 'hex'), $1, 'image/webp', 10, 120, 80, false, 'L0', '#102030')`,
      [cid],
    );
    const { body: listed } = await publish(key, { image_uri: `ipfs://${cid}` });
    expect(listed.image).toEqual({
      ...{ uri: `ipfs://${cid}`, sha256: "ab".repeat(32), width: 120, height: 80, animated: false },
      ...{ blurhash: "L0", dominant_color: "#102030", urls: null },
    });
    await db.api.query("update app.images set blocked_at = now()");
    expect((await send("GET", `/businesses/${listed.id}`)).body.image).toBeNull();
  });
});
