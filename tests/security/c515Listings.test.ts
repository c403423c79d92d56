import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { bakery, useBusinesses } from "../support/businesses/useBusinesses.ts";
import { insertOpening } from "../support/server/insertOpening.ts";
import { insertIndex } from "../support/server/rows.ts";

const { fixture, createAccount, publish, send } = useBusinesses();
const list = async (query: string) => await send("GET", `/businesses?${query}`);

describe("a cursor of a list", () => {
  it("C5-15 is refused when a bit of it changed, and for another query, list or database", async () => {
    const { key } = await createAccount();
    for (let n = 0; n < 3; n++) await publish(key, { name: `Shop ${n}` });
    const { next_cursor: cursor } = (await list("limit=1&q=shop")).body;
    expect((await list(`limit=2&q=shop&cursor=${cursor}`)).body.items).toHaveLength(2);
    const bytes = Buffer.from(cursor, "base64url");
    const forged = Array.from({ length: bytes.length * 8 }, (_, bit) => {
      const changed = Buffer.from(bytes);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      return changed.toString("base64url");
    });
    const payload = Buffer.from(JSON.stringify([0, "9".repeat(16), "z", "contains"]));
    const unsigned = [payload, Buffer.concat([Buffer.alloc(16), payload])].map((one) => one.toString("base64url"));
    for (const wrong of [...forged, ...unsigned, cursor.slice(0, -1), `${cursor}A`, `${cursor}==`]) {
      const { status, body } = await list(`limit=1&q=shop&cursor=${encodeURIComponent(wrong)}`);
      expect([status, body.error.code, body.error.field], wrong).toEqual([400, "invalid_query", "cursor"]);
    }
    for (const other of ["q=sho", "q=shop&source=own", "q=shop&near=0,0", "kind=business", ""]) {
      expect((await list(`${other}&cursor=${cursor}`)).status, other).toBe(400);
    }
    expect((await send("GET", `/directory?q=shop&cursor=${cursor}`)).status).toBe(400);
    expect(JSON.stringify(bytes.toString())).not.toContain(key);
  });

  it("C5-15 visits each listing once, whatever is published, changed or withdrawn between its pages", async () => {
    const { key } = await createAccount();
    const ids: string[] = [];
    for (let n = 0; n < 9; n++) ids.push((await publish(key, { name: `Shop ${n}` })).body.id);
    const seen: string[] = [];
    for (let cursor: string | null = null, page = 0; page === 0 || cursor !== null; page++) {
      const { body } = await list(`limit=2${cursor === null ? "" : `&cursor=${cursor}`}`);
      seen.push(...body.items.map(({ id }: { id: string }) => id));
      cursor = body.next_cursor;
      await publish(key, { name: `Later ${page}` });
      if (page === 0) await send("DELETE", `/businesses/${seen.at(-1)}`, { key, headers: { "if-match": "*" } });
    }
    expect(seen).toEqual(ids.toReversed());
  });
});

describe("a listing of another account", () => {
  it("C5-16 is neither edited, withdrawn nor proven, with the same answer as for one that does not exist", async () => {
    const ada = await createAccount();
    const bob = await createAccount();
    const { body: listed, headers } = await publish(ada.key, { website: "https://tin.example" });
    const attempts = [
      ["PUT", "", { ...bakery, name: "Bob's" }],
      ["DELETE", "", undefined],
      ["POST", "/website-proof", undefined],
    ] as const;
    for (const [method, path, body] of attempts) {
      const answers = [];
      for (const id of [listed.id, randomUUID()]) {
        const sent = { key: bob.key, headers: { "if-match": headers.etag }, ...(body && { body }) };
        const answer = await send(method, `/businesses/${id}${path}`, sent);
        delete answer.body.error.request_id;
        answers.push([answer.status, answer.body]);
      }
      expect(answers[0]).toEqual(answers[1]);
      expect(answers[0]![0]).toBe(404);
    }
    expect((await send("GET", `/businesses/${listed.id}`)).body).toEqual(listed);
    expect((await send("GET", "/api/account/businesses", { key: bob.key })).body.items).toEqual([]);
  });

  it("C5-16 a change that is lost in a race is refused: of twenty with one ETag one succeeds", async () => {
    const { key } = await createAccount();
    const { body, headers } = await publish(key);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        send("PUT", `/businesses/${body.id}`, {
          key,
          headers: { "if-match": headers.etag },
          body: { ...bakery, name: `Name ${n}` },
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, ...Array(19).fill(412)]);
  });
});

describe("markup and script in a listing", () => {
  it("C5-17 stay text of JSON, and links lead to https alone", async () => {
    const { key } = await createAccount();
    const name = `<script>alert("x")</script>`;
    const { body, headers } = await publish(key, { name, description: "<img src=x onerror=alert(1)>" });
    expect([body.name, headers["content-type"]]).toEqual([name, "application/json; charset=utf-8"]);
    expect(headers["x-content-type-options"]).toBe("nosniff");
    const links = ["javascript:alert(1)", "JAVASCRIPT:alert(1)", "data:text/html,x", "//x.com/a", "http://x.com/a"];
    const hidden = [
      "https://x.com@evil.example/",
      "https://x.com.evil.example/",
      "https://x.com:8443/a",
      "https://x.com\\@e.example",
    ];
    for (const link of [...links, ...hidden]) {
      for (const change of [
        { links: { x: link } },
        ...(hidden.includes(link) ? [] : [{ website: link }, { image_uri: link }]),
      ]) {
        expect((await publish(key, change)).status, JSON.stringify(change)).toBe(422);
      }
    }
  });
});

describe("reports and blocks", () => {
  it("C5-19 blocks are made by the scope admin alone", async () => {
    const { key } = await createAccount();
    const { body: listed } = await publish(key);
    const readWrite = await createAccount(["read", "write"]);
    const { db } = fixture.database;
    await insertIndex(db);
    const opening = await insertOpening(db, 1);
    const address = `0x${"1".repeat(40)}`;
    const targets = [`listings/${listed.id}`, `tokens/${address}`, `images/${"1".repeat(64)}`, `openings/${opening}`];
    for (const target of targets) {
      const body = { blocked: true, reason: "x" };
      for (const one of [key, readWrite.key]) {
        const refused = await send("PATCH", `/api/admin/${target}`, { key: one, body });
        expect([refused.status, refused.body.error.code]).toEqual([403, "scope_required"]);
      }
      expect((await send("PATCH", `/api/admin/${target}`, { body })).status).toBe(401);
    }
    expect((await send("GET", `/businesses/${listed.id}`)).status).toBe(200);
    expect((await send("GET", `/openings/${opening}`)).body).toMatchObject({ blocked: false, name: "Tin Ark 1" });
    const { rows } = await fixture.database.db.api.query("select from app.moderation_events");
    expect(rows).toHaveLength(0);
  });

  it("C5-19 a flood of reports is stored once of an address, a thousand times of a thing, and never of what does not exist", async () => {
    const { key } = await createAccount();
    const { body: listed } = await publish(key);
    const report = (id: string) =>
      send("POST", "/reports", { body: { kind: "listing", id, reason: "spam", text: randomUUID() } });
    const count = async () =>
      (await fixture.database.db.api.query("select count(*)::int as n from app.reports")).rows[0].n;
    await Promise.all(Array.from({ length: 30 }, () => report(listed.id)));
    expect(await count()).toBe(1);
    for (let n = 0; n < 5; n++) expect((await report(randomUUID())).status).toBe(404);
    expect(await count()).toBe(1);
    await fixture.database.db.api.query(
      `insert into app.reports (id, kind, target, reason, reporter)
       select gen_random_uuid(), 'listing', $1, 'spam', int4send(n) from generate_series(1, 999) n`,
      [listed.id],
    );
    await fixture.database.db.api.query("delete from app.reports where length(reporter) = 32");
    expect((await report(listed.id)).status).toBe(202);
    expect(await count()).toBe(1_000);
    await fixture.database.db.api.query("update app.reports set reporter = 'x' where length(reporter) = 32");
    expect((await report(listed.id)).status).toBe(202);
    expect(await count()).toBe(1_000);
  });
});
