import { createHash } from "node:crypto";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTestFolder } from "../../../../../tests/support/createTestFolder.ts";
import { createReadApp, type ReadApp } from "../../../../../tests/support/server/readApp.ts";
import {
  headTime,
  insertCandle,
  insertEthUsd,
  insertIndex,
  insertToken,
} from "../../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../../tests/support/server/useReadApp.ts";
import { moderate } from "../moderation/queries.ts";
import { formatPrice } from "./routes.ts";

const fixture = useReadApp();
let read: ReadApp;
let token: string;

beforeEach(async () => {
  const { db } = fixture.database;
  read = await createReadApp(db, { DATA_DIR: createTestFolder(), SITE_URL: "https://launch.example" });
  await insertIndex(db);
  token = await insertToken(db, 1, { name: "Tin Boat", symbol: "TIN" });
});
afterEach(() => read.deps.cardPainter.stop());

async function get(name: string, headers: Record<string, string> = {}) {
  const { statusCode, headers: answered, rawPayload } = await read.app.inject({ url: `/og/${name}`, headers });
  return { status: statusCode, headers: answered, body: rawPayload };
}
/** Returns the current card. */
async function getCard(): Promise<Buffer> {
  await read.deps.readModel.sync();
  const { status, body } = await get(`${token}.png`);
  expect(status).toBe(200);
  return body;
}
const block = (kind: "token" | "image", target: string, blocked: boolean) =>
  moderate(fixture.database.db.api, { kind, target, blocked, reason: "test", administrator: null });

async function storePicture(): Promise<string> {
  const bytes = await sharp({ create: { width: 50, height: 50, channels: 3, background: "#00ff00" } })
    .webp()
    .toBuffer();
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  await read.deps.mediaStorage.put(`${sha256}/512.webp`, bytes, "image/webp");
  const { api } = fixture.database.db;
  await api.query(
    `insert into app.images (sha256, cid, content_type, bytes, width, height, animated, blurhash, dominant_color)
     values (decode($1, 'hex'), $1, 'image/webp', 10, 50, 50, false, 'LEHV6n', '#00ff00')`,
    [sha256],
  );
  await api.query("insert into app.token_images (token, uri, sha256) values ($1, 'ipfs://x', decode($2, 'hex'))", [
    ...[token, sha256],
  ]);
  return sha256;
}

describe("GET /og/{address}.png", () => {
  test("returns a PNG with an ETag and a lifetime of ten seconds, for an address in any case", async () => {
    const { status, headers, body } = await get(`${token}.png`);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      ...{ "content-type": "image/png", "cache-control": "public, max-age=10", "x-content-type-options": "nosniff" },
    });
    const { width, height } = await sharp(body).metadata();
    expect([width, height]).toEqual([1_200, 630]);
    expect((await get(`${token}.png`, { "if-none-match": String(headers.etag) })).status).toBe(304);
    expect((await get(`${token.toUpperCase().replace("0X", "0x")}.png`)).body).toEqual(body);
  });

  test("changes with price, unit and line, and else comes from the cache", async () => {
    const { db } = fixture.database;
    const first = await getCard();
    let drawn = 0;
    const { draw } = read.deps.cardPainter;
    read.deps.cardPainter.draw = async (card) => {
      drawn++;
      return await draw(card);
    };
    expect(await getCard()).toEqual(first);
    expect(drawn).toBe(0);
    await insertCandle(db, 1, 60, headTime - 120, { c: 1 });
    await insertCandle(db, 1, 60, headTime - 60, { c: 2 });
    await insertEthUsd(db, 2_000, { block: 4_990, time: headTime - 60 });
    await db.indexer.query("insert into chain.outbox (block_number, kind, payload) values (1, 'batch', '{}')");
    expect((await getCard()).equals(first)).toBe(false);
    expect(drawn).toBe(1);
  });

  test("C5-28 shows no blocked picture, and no card of a blocked token", async () => {
    const without = await getCard();
    const sha256 = await storePicture();
    const withPicture = await getCard();
    expect(withPicture.equals(without)).toBe(false);
    await block("image", sha256, true);
    expect(await getCard()).toEqual(without);
    await block("image", sha256, false);
    expect(await getCard()).toEqual(withPicture);
    await block("token", token, true);
    await read.deps.readModel.sync();
    expect((await get(`${token}.png`)).status).toBe(404);
  });

  test("shows a tile if the storage lacks the picture", async () => {
    const without = await getCard();
    await storePicture();
    read.deps.mediaStorage.get = async () => null;
    expect(await getCard()).toEqual(without);
    read.deps.mediaStorage.get = async () => {
      throw new Error("no storage");
    };
    await fixture.database.db.indexer.query(
      "insert into chain.outbox (block_number, kind, payload) values (1, 'batch', '{}')",
    );
    expect(await getCard()).toEqual(without);
  });

  test.each([
    ...["0x0000000000000000000000000000000000000000.png", "0x12.png", "x", ".png", "..%2f..%2fetc%2fpasswd.png"],
    ...["0x00000000000000000000000000000000000003e9", "0x00000000000000000000000000000000000003e9.png.png"],
    ...["0x00000000000000000000000000000000000003e9.svg", "%00.png"],
  ])("C5-28 returns 404 or 400 for %s, and draws nothing", async (name) => {
    read.deps.cardPainter.draw = () => Promise.reject(new Error("drawn"));
    expect([400, 404]).toContain((await get(name)).status);
  });

  test("C10-61 one address cannot use up the capacity of other addresses that wait for a card", async () => {
    const { db } = fixture.database;
    const tokens = [];
    for (let id = 2; id < 22; id++) tokens.push(await insertToken(db, id));
    await read.deps.readModel.sync();
    const { draw } = read.deps.cardPainter;
    const { promise: turn, resolve } = Promise.withResolvers<void>();
    let waiting = 0;
    read.deps.cardPainter.draw = async (card) => {
      waiting++;
      await turn;
      return await draw(card);
    };
    const getFrom = (remoteAddress: string, name: string) => read.app.inject({ url: `/og/${name}.png`, remoteAddress });
    const attack = Promise.all(tokens.map((name) => getFrom("203.0.113.1", name)));
    const other = getFrom("203.0.113.2", token);
    await expect.poll(() => waiting).toBe(5);
    resolve();
    const statuses = (await attack).map(({ statusCode }) => statusCode);
    expect(statuses.filter((status) => status === 200)).toHaveLength(4);
    expect(statuses.filter((status) => status === 429)).toHaveLength(16);
    expect((await other).statusCode).toBe(200);
    // Cards that are already drawn need no capacity.
    const drawn = tokens.filter((_, index) => statuses[index] === 200);
    const again = await Promise.all([...drawn, ...drawn].map((name) => getFrom("203.0.113.1", name)));
    expect(new Set(again.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  });

  test("is unavailable while the index is not live", async () => {
    await fixture.database.db.indexer.query("update chain.status set state = 'halted'");
    await read.deps.readModel.sync();
    const { status, headers } = await get(`${token}.png`);
    expect([status, headers["cache-control"]]).toEqual([503, "no-store"]);
  });
});

test.each([
  [0, "0"],
  [1, "1.00"],
  [0.99999, "1.00"],
  [1_234_567.891, "1,234,567.89"],
  [0.5, "0.5"],
  [0.05, "0.05"],
  [0.00012346, "0.0001235"],
  [0.000099999, "0.0001"],
  [0.000012346, "0.0₄1235"],
  [5.761178962561514e-6, "0.0₅5761"],
  [1.5e-18, "0.0₁₇15"],
])("formats the price %f as %s", (price, text) => {
  expect(formatPrice(price)).toBe(text);
});
