import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import sharp, { type Sharp } from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { useBusinesses } from "../../../../../tests/support/businesses/useBusinesses.ts";
import { createReadApp } from "../../../../../tests/support/server/readApp.ts";
import { insertIndex, insertToken } from "../../../../../tests/support/server/rows.ts";
import { createImageDecoder, type ImageDecoder } from "../../compute/createImageDecoder.ts";
import type { Deps } from "../../deps.ts";
import { systemClock } from "../../systemClock.ts";
import { hashStoredImages } from "../images/hashStoredImages.ts";
import { insertImage } from "../images/queries.ts";
import { storeImage } from "../images/storeImage.ts";

const { fixture, createAccount, send } = useBusinesses();
const path = "/api/admin/denied-images";
const folder = temporaryFolder();
let decoder: ImageDecoder;
let deps: Deps;
let key: string;
let accountId: string;

beforeAll(() => {
  decoder = createImageDecoder({ clock: systemClock, processes: 1 });
});
afterAll(async () => {
  await decoder.stop();
  folder.remove();
});
beforeEach(async () => {
  const read = await createReadApp(fixture.database.db, { DATA_DIR: folder.path });
  deps = { ...read.deps, imageDecoder: decoder };
  ({ key, accountId } = await createAccount(["admin"]));
});

/** Creates a picture of blocks whose brightness depends on the seed: other seeds give different pictures. */
async function paint(seed: number): Promise<Sharp> {
  let state = seed;
  const pixels = Buffer.from(
    Array.from({ length: 81 }, () => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      return (state >> 8) % 256;
    }),
  );
  const small = sharp(pixels, { raw: { width: 9, height: 9, channels: 1 } });
  return sharp(await small.resize(270, 270, { kernel: "nearest" }).png().toBuffer());
}
const encode = async (picture: Sharp) => await decoder.encode(await picture.png().toBuffer());
const store = async (picture: Sharp, uploaded = true) =>
  await storeImage(deps, await encode(picture), { accountId: uploaded ? accountId : null });
const deny = (body: object) => send("POST", path, { key, body: { reason: "It is a test.", ...body } });
const readBlocked = async () => {
  const { rows } = await fixture.database.db.api.query<{ sha256: string; blocked: boolean }>(
    "select encode(sha256, 'hex') as sha256, blocked_at is not null as blocked from app.images",
  );
  return Object.fromEntries(rows.map(({ sha256, blocked }) => [sha256, blocked]));
};
const readLog = async () => {
  const { rows } = await fixture.database.db.api.query(
    "select target, blocked, reason, administrator is not null as named from app.moderation_events order by id",
  );
  return rows;
};
const countBits = (hex: string) => [...BigInt(`0x${hex}`).toString(2)].filter((bit) => bit === "1").length;
const getDistance = (a: string, b: string) => countBits((BigInt(`0x${a}`) ^ BigInt(`0x${b}`)).toString(16));
/** Inverts the lowest bits of a hash. */
const flip = (hex: string, bits: number) =>
  (BigInt(`0x${hex}`) ^ (2n ** BigInt(bits) - 1n)).toString(16).padStart(16, "0");

describe("the perceptual hash of a picture", () => {
  test("changes little with size, format, quality and colours, and differs from another picture's hash", async () => {
    const picture = await paint(1);
    const { dhash } = await encode(picture);
    expect(dhash).toMatch(/^[0-9a-f]{16}$/);
    const changed = [
      picture.clone().resize(64, 64),
      picture.clone().resize(900, 700, { fit: "fill" }),
      sharp(await picture.clone().jpeg({ quality: 30 }).toBuffer()),
      picture.clone().tint("#ffcc00"),
      picture.clone().modulate({ brightness: 0.8 }),
      picture.clone().blur(2),
    ];
    for (const one of changed) expect(getDistance(dhash, (await encode(one)).dhash)).toBeLessThanOrEqual(6);
    for (const seed of [2, 3, 4, 5]) {
      expect(getDistance(dhash, (await encode(await paint(seed))).dhash)).toBeGreaterThan(12);
    }
    // Transparent pixels count as white, whatever colour they have.
    const clear = (color: string) =>
      encode(sharp({ create: { width: 20, height: 20, channels: 4, background: { ...rgb[color]!, alpha: 0 } } }));
    expect((await clear("red")).dhash).toBe((await clear("blue")).dhash);
  });
  const rgb: Record<string, { r: number; g: number; b: number }> = {
    red: { r: 255, g: 0, b: 0 },
    blue: { r: 0, g: 0, b: 255 },
  };
});

describe("the deny list of pictures", () => {
  test("C5-29 blocks the stored pictures that an entry matches, and no other one", async () => {
    const [first, second] = [await store(await paint(1)), await store(await paint(2))];
    const near = await store((await paint(1)).resize(100, 100));
    const { status, body } = await deny({ sha256: first.sha256 });
    expect([status, body]).toMatchObject([200, { within: 6, reason: "It is a test.", blocked: 2 }]);
    expect(await readBlocked()).toEqual({ [first.sha256]: true, [near.sha256]: true, [second.sha256]: false });
    const entry = { blocked: true, reason: "It is a test.", named: true };
    const log = await readLog();
    expect(log[0]).toEqual({ ...entry, target: `dhash:${body.dhash}:6` });
    expect(log.slice(1)).toEqual(
      expect.arrayContaining([first, near].map(({ sha256 }) => ({ ...entry, target: sha256 }))),
    );
    expect(log).toHaveLength(3);
    // The same entry again blocks no picture twice.
    expect((await deny({ sha256: first.sha256 })).body).toMatchObject({ id: body.id, blocked: 0 });
  });

  test("C5-29 refuses an upload within an entry's distance, up to six bits, and stores one beyond", async () => {
    const picture = await paint(1);
    const { dhash } = await encode(picture);
    for (const [bits, within, isRefused] of [
      [0, 0, true],
      [1, 0, false],
      [6, 6, true],
      [7, 6, false],
    ] as const) {
      await fixture.database.db.api.query("delete from app.images");
      await fixture.database.db.api.query("delete from app.denied_images");
      expect((await deny({ dhash: flip(dhash, bits), within })).status).toBe(200);
      const stored = store(picture).then(() => "stored");
      await expect(stored.catch((error) => error.code)).resolves.toBe(isRefused ? "invalid_fields" : "stored");
      expect(Object.values(await readBlocked())).toEqual([isRefused]);
    }
  });

  test("C5-29 blocks the picture of a launch, not the launch, and the token then has no picture", async () => {
    const { db } = fixture.database;
    await insertIndex(db);
    const token = await insertToken(db, 1, { image: "https://a.example/i.png" });
    const picture = await paint(1);
    await deny({ dhash: (await encode(picture)).dhash });
    // As the job stores a fetched picture.
    const { sha256 } = await store(picture, false);
    await db.api.query("insert into app.token_images (token, uri, sha256) values ($1, 'x', decode($2, 'hex'))", [
      ...[token, sha256],
    ]);
    const { status, body } = await send("GET", `/tokens/${token}`);
    expect([status, body.image, body.image_url, body.warnings.length]).toMatchObject([200, null, null, 1]);
    expect((await send("GET", "/gallery")).body.items).toEqual([]);
    expect((await readLog()).at(-1)).toEqual({
      ...{ target: sha256, blocked: true, named: false, reason: "It resembles a picture of the deny list." },
    });
    // An administrator can end the block of this one picture.
    await send("PATCH", `/api/admin/images/${sha256}`, { key, body: { blocked: false, reason: "It is fine." } });
    await expect
      .poll(async () => (await send("GET", `/tokens/${token}`)).body.image_url)
      .toBe("https://a.example/i.png");
  });

  test.each(["the entry", "the picture"])(
    "C5-30 when an entry and a picture are stored at the same time, %s waits for the other",
    async (later) => {
      const encoded = await encode(await paint(1));
      const { api } = fixture.database.db;
      const addEntry = async () => await deny({ dhash: encoded.dhash });
      const addPicture = async () => await storeImage(deps, encoded, { accountId: null });
      // The first of the two is stored but not committed.
      const client = await api.connect();
      await client.query("begin");
      if (later === "the entry") await insertImage(client, encoded, false);
      else {
        await client.query("select pg_advisory_xact_lock(7416033574)");
        await client.query(
          `insert into app.denied_images (id, dhash, within, reason)
         values ('01a20215-0aaa-7d5c-9a3f-2b1c0d9e8f70', ('x' || $1)::bit(64), 6, 'x')`,
          [encoded.dhash],
        );
      }
      const storing: Promise<unknown> = later === "the entry" ? addEntry() : addPicture();
      await expect
        .poll(async () => {
          const { rows } = await api.query(
            `select count(*)::int as waiting from pg_locks l join pg_database d on d.oid = l.database
           where l.locktype = 'advisory' and not l.granted and d.datname = current_database()`,
          );
          return rows[0].waiting;
        })
        .toBe(1);
      await client.query("commit");
      client.release();
      await storing;
      expect(await readBlocked()).toEqual({ [encoded.sha256]: true });
    },
  );

  test("blocks pictures that an earlier version stored, after the job has hashed them", async () => {
    const { api } = fixture.database.db;
    const [first, second] = [await store(await paint(1)), await store(await paint(2))];
    const missing = "ee".repeat(32);
    await api.query("update app.images set dhash = null");
    await api.query(
      `insert into app.images (sha256, cid, content_type, bytes, width, height, animated, blurhash, dominant_color)
       values (decode($1, 'hex'), 'x', 'image/webp', 1, 1, 1, false, '', '#000000')`,
      [missing],
    );
    expect((await deny({ sha256: first.sha256 })).body.error).toMatchObject({
      code: "invalid_fields",
      field: "sha256",
    });
    const { dhash } = await encode(await paint(1));
    expect((await deny({ dhash })).body.blocked).toBe(0);
    const job = hashStoredImages(deps);
    await expect.poll(readBlocked).toEqual({ [first.sha256]: true, [second.sha256]: false, [missing]: false });
    await job.stop();
    expect((await readLog()).at(-1)).toMatchObject({ target: first.sha256, blocked: true });
    const { rows } = await api.query("select count(*)::int as left from app.images where dhash is null");
    expect(rows[0].left).toBe(1);
  });

  test("lists its entries in pages; a removed entry blocks no more pictures, and its blocks stay", async () => {
    const picture = await store(await paint(1));
    const ids: string[] = [];
    for (const seed of [1, 2, 3]) ids.unshift((await deny({ dhash: (await encode(await paint(seed))).dhash })).body.id);
    const { body: page } = await send("GET", `${path}?limit=2`, { key });
    expect([page.items.map(({ id }: any) => id), page.next_before]).toEqual([ids.slice(0, 2), ids[1]]);
    const { body: rest } = await send("GET", `${path}?limit=2&before=${page.next_before}`, { key });
    expect([rest.items.map(({ id }: any) => id), rest.next_before]).toEqual([ids.slice(2), null]);
    expect((await send("DELETE", `${path}/${ids[2]}`, { key })).body).toEqual({ removed: true });
    expect((await send("DELETE", `${path}/${ids[2]}`, { key })).status).toBe(404);
    expect((await readLog()).at(-1)).toMatchObject({ blocked: false, named: true });
    expect(await readBlocked()).toEqual({ [picture.sha256]: true });
    await fixture.database.db.api.query("delete from app.images");
    expect((await store(await paint(1))).blocked).toBe(false);
  });

  test.each([
    ["a plain hash, which every picture of one colour has", { dhash: "0000000000000000" }, "within"],
    ["a hash near the plain hash", { dhash: "000000000000003f" }, "within"],
    ["the hash of a gradient", { dhash: "ffffffffffffffff" }, "within"],
    ["neither hash nor picture", {}, "dhash"],
    ["both hash and picture", { dhash: "0123456789abcdef", sha256: "00".repeat(32) }, "dhash"],
    ["a distance of more than six bits", { dhash: "0123456789abcdef", within: 7 }, "within"],
    ["an invalid hash", { dhash: "0123456789ABCDEF" }, "dhash"],
  ])("refuses an entry with %s", async (_what, body, field) => {
    const { status, body: answer } = await deny(body);
    expect([status, answer.error.code, answer.error.field]).toEqual([422, "invalid_fields", field]);
  });

  test("C5-30 is only for administrators", async () => {
    const { key: other } = await createAccount(["read", "write"]);
    for (const [method, url] of [
      ["GET", path],
      ["POST", path],
      ["DELETE", `${path}/01a20215-0aaa-7d5c-9a3f-2b1c0d9e8f70`],
    ] as const) {
      const body = method === "POST" ? { dhash: "0123456789abcdef", reason: "x" } : undefined;
      expect((await send(method, url, { key: other, body })).status).toBe(403);
      expect((await send(method, url, { body })).status).toBe(401);
    }
  });
});
