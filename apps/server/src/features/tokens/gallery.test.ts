import { gallery } from "@slipway/protocol/gallery";
import { createIds } from "@slipway/server/createIds";
import { createSignedCursors } from "@slipway/server/db/signedCursors";
import { systemClock } from "@slipway/server/systemClock";
import { beforeEach, describe, expect, test } from "vitest";
import { createReadApp, type ReadApp } from "../../../../../tests/support/server/readApp.ts";
import { insertIndex, insertToken, toAddress } from "../../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../../tests/support/server/useReadApp.ts";
import { claimTokenImages, discoverTokenImages, storeTokenImage } from "../images/tokenImageQueries.ts";

const fixture = useReadApp();
const site = "https://launch.example";
let read: ReadApp;

beforeEach(async () => {
  read = await createReadApp(fixture.database.db, { SITE_URL: site });
  await insertIndex(fixture.database.db);
});

const query = (text: string, values: unknown[] = []) => fixture.database.db.api.query(text, values);
const toSha256 = (n: number) => n.toString(16).padStart(64, "a");
const toToken = (n: number) => toAddress(1_000 + n);

async function insertPicture(n: number): Promise<void> {
  await query(
    `insert into app.images (sha256, cid, content_type, bytes, width, height, animated, blurhash, dominant_color)
     values (decode($1, 'hex'), $1, 'image/webp', 10, 30, 20, false, 'LEHV6n', '#102030') on conflict do nothing`,
    [toSha256(n)],
  );
}

/** Stores the pictures of tokens, as the job does. */
async function insertPictures(from: number, to: number): Promise<void> {
  for (let n = from; n <= to; n++) {
    await insertPicture(n);
    await query("insert into app.token_images (token, uri, sha256) values ($1, 'ipfs://x', decode($2, 'hex'))", [
      ...[toToken(n), toSha256(n)],
    ]);
  }
}

async function launch(from: number, to: number, state: (n: number) => Record<string, unknown> = () => ({})) {
  for (let n = from; n <= to; n++) await insertToken(fixture.database.db, n, {}, state(n));
}

async function get(search: string) {
  const { status, json, headers } = await read.get(`/gallery${search}`);
  expect([status, json.error]).toEqual([200, undefined]);
  expect(gallery.parse(json)).toEqual(json);
  return { ...json, headers };
}
const getIds = (page: any): number[] => page.items.map(({ token }: any) => Number(BigInt(token.address)) - 1_000);

/** Returns the tokens of all pages; calls `between` between two pages. */
async function getAll(search: string, between: (page: number) => Promise<unknown> = async () => undefined) {
  const ids: number[] = [];
  let cursor = "";
  for (let page = 1; ; page++) {
    const answer = await get(`?${search}${cursor}`);
    ids.push(...getIds(answer));
    if (answer.next_cursor === null) return ids;
    await between(page);
    await read.deps.readModel.sync();
    cursor = `&cursor=${answer.next_cursor}`;
  }
}
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const ascending = (ids: number[]) => ids.toSorted((a, b) => a - b);

describe("GET /gallery", () => {
  test("lists the processed pictures of launched tokens, the newest launch first", async () => {
    await launch(1, 4);
    await insertPictures(2, 3);
    await insertPictures(9, 9);
    const { headers, ...page } = await get("");
    expect(getIds(page)).toEqual([3, 2]);
    const sha256 = toSha256(3);
    const url = (size: number) => `${site}/media/${sha256}/${size}.webp`;
    expect(page.items[0]).toMatchObject({
      token: { name: "Token 3", symbol: "T3", price_usd: null, market_cap_usd: null },
      image: {
        ...{ sha256, width: 30, height: 20, animated: false, blurhash: "LEHV6n", dominant_color: "#102030" },
        urls: { 64: url(64), 256: url(256), 512: url(512), 1024: url(1_024) },
        alt: "Token 3 (T3)",
      },
    });
    expect([page.next_cursor, page.seed, page.as_of.block_number]).toEqual([null, undefined, 103]);
    expect(headers["cache-control"]).toBe("public, max-age=10");
    const again = await read.get("/gallery", { "if-none-match": headers.etag });
    expect(again.status).toBe(304);
  });

  test("pictures without a configured public URL are 503 provider_unavailable", async () => {
    expect((await fixture.read.get("/gallery")).json.items).toEqual([]);
    await launch(1, 1);
    await insertPictures(1, 1);
    await fixture.read.deps.readModel.sync();
    const { status, json } = await fixture.read.get("/gallery");
    expect([status, json.error.code]).toEqual([503, "provider_unavailable"]);
  });

  test("sorts by volume, unknown volumes last, and by market cap; pages visit each picture once", async () => {
    await launch(1, 23, (n) => ({
      volume_24h_usd: n % 5 === 0 ? null : String((n % 4) * 1_000_000),
      market_cap: (n % 6) / 3,
    }));
    await insertPictures(1, 23);
    const order = (key: (n: number) => number) => numbers(1, 23).toSorted((a, b) => key(b) - key(a) || b - a);
    expect(await getAll("sort=volume&limit=4")).toEqual(order((n) => (n % 5 === 0 ? -1 : n % 4)));
    expect(await getAll("sort=market_cap&limit=4")).toEqual(order((n) => n % 6));
    expect(await getAll("limit=100&sort=volume")).toHaveLength(23);
    expect((await get("?sort=volume&limit=23")).next_cursor).toBeNull();
    expect((await get("?limit=5")).total).toBe(23);
  });

  test("random visits each picture once in the order of the seed, which the response contains", async () => {
    await launch(1, 40);
    await insertPictures(1, 40);
    const orders = new Set<string>();
    for (const seed of [0, 1, 2, 3, 4_294_967_295]) {
      const ids = await getAll(`sort=random&seed=${seed}&limit=7`);
      expect(ascending(ids)).toEqual(numbers(1, 40));
      expect(await getAll(`sort=random&seed=${seed}&limit=100`)).toEqual(ids);
      orders.add(ids.join());
    }
    expect(orders.size).toBeGreaterThan(2);
    // Requests of later pages need no seed.
    const first = await get("?sort=random&limit=7");
    expect(
      ascending([...getIds(first), ...(await getAll(`sort=random&limit=33&cursor=${first.next_cursor}`))]),
    ).toEqual(numbers(1, 40));
    expect((await get(`?sort=random&seed=${first.seed}&limit=7`)).items).toEqual(first.items);
  });

  test("random is a permutation, also for positions that are equal or at the ends of their range", async () => {
    await launch(1, 12);
    await insertPictures(1, 12);
    await query("update app.gallery set position = case when token < $1 then -2147483648 else 2147483647 end", [
      toToken(7),
    ]);
    for (const seed of numbers(1, 12)) {
      expect(ascending(await getAll(`sort=random&seed=${seed}&limit=5`))).toEqual(numbers(1, 12));
    }
  });

  test("q finds literal text in name, symbol or address, in each order", async () => {
    await launch(1, 30);
    await insertToken(fixture.database.db, 31, { name: "100%_Off" });
    await insertPictures(2, 31);
    for (const sort of ["new", "volume", "market_cap", "random"]) {
      expect(ascending(await getAll(`sort=${sort}&q=TOKEN%201&limit=3`))).toEqual(numbers(10, 19));
      expect(ascending(await getAll(`sort=${sort}&q=%25_o`))).toEqual([31]);
      expect((await get(`?sort=${sort}&q=token%201&limit=3`)).total).toBe(10);
      expect(await get(`?sort=${sort}&q=nothing`)).toMatchObject({ items: [], total: 0, next_cursor: null });
    }
  });

  test("a page with few pictures reads a bounded number of tokens and returns a cursor to continue", async () => {
    await launch(1, 1);
    await insertPictures(1, 1);
    const { indexer } = fixture.database.db;
    // Tokens without a picture, launched later.
    const columns = async (table: string) => {
      const { rows } = await indexer.query(
        "select column_name as name from information_schema.columns where table_schema = 'chain' and table_name = $1",
        [table],
      );
      return rows.map(({ name }) => name as string);
    };
    const copy = async (table: string, changed: Record<string, string>) => {
      const names = await columns(table);
      await indexer.query(
        `insert into chain.${table} (${names.join()}) overriding system value
         select ${names.map((name) => changed[name] ?? `x.${name}`).join()} from chain.${table} x, generate_series(2, 9000) n`,
      );
    };
    await copy("tokens", { id: "n", address: "'0x' || n", pool: "'0y' || n", block_number: "1000 + n" });
    await copy("token_state", { token_id: "n" });
    const first = await get("?sort=volume");
    expect(first.items).toEqual([]);
    expect(first.next_cursor).not.toBeNull();
    // The orders `new` and `random` examine only pictures.
    for (const sort of ["new", "random"]) expect(getIds(await get(`?sort=${sort}`))).toEqual([1]);
    for (const sort of ["new", "volume", "market_cap", "random"]) expect(await getAll(`sort=${sort}`)).toEqual([1]);
  });

  test("a picture appears in cached responses as soon as the job has stored it", async () => {
    const { db } = fixture.database;
    await insertToken(db, 1, { image: "ipfs://one" });
    expect((await get("")).total).toBe(0);
    await discoverTokenImages(db.api, { tokenId: 0, change: "0" });
    const [claim] = await claimTokenImages(db.api, 1, 60_000);
    await insertPicture(1);
    await storeTokenImage(db.api, claim!, toSha256(1));
    await read.deps.readModel.sync();
    expect(getIds(await get(""))).toEqual([1]);
  });
});

describe("C5-20 a cursor", () => {
  const refused = async (search: string) => {
    const { status, json } = await read.get(`/gallery${search}`);
    expect([status, json.error.code, json.error.field], search).toEqual([400, "invalid_query", "cursor"]);
  };

  test("C5-20 that is forged, changed, truncated or from another database is 400", async () => {
    await launch(1, 5);
    await insertPictures(1, 5);
    const { next_cursor: cursor } = await get("?limit=2");
    const bytes = Buffer.from(cursor, "base64url");
    for (let index = 0; index < bytes.length; index++) {
      const changed = Buffer.from(bytes);
      changed[index]! ^= 1;
      await refused(`?cursor=${changed.toString("base64url")}`);
    }
    await refused(`?cursor=${bytes.subarray(0, 20).toString("base64url")}`);
    await refused(`?cursor=${bytes.subarray(0, 16).toString("base64url")}`);
    await refused(`?cursor=${Buffer.from('[0,"1","1"]').toString("base64url")}`);
    await refused("?cursor=");
    await refused("?cursor=%27;drop%20table");
    await refused(`?cursor=${"a".repeat(513)}`);
    const secret = Buffer.alloc(32, 7);
    const other = createSignedCursors(
      { newest: { query: async () => ({ rows: [{ secret }] }) } } as never,
      createIds(systemClock),
    );
    await refused(`?cursor=${await other.seal(["gallery", "new", null], [0, "103", "3"])}`);
  });

  test("C5-21 of another sort, search or seed is 400; another limit is accepted", async () => {
    await launch(1, 9);
    await insertPictures(1, 9);
    const cursors: Record<string, string> = {};
    const queries = ["sort=new", "sort=volume", "sort=market_cap", "sort=random&seed=1", "sort=new&q=token"];
    for (const search of queries) cursors[search] = (await get(`?${search}&limit=2`)).next_cursor;
    for (const search of queries) {
      for (const [of, cursor] of Object.entries(cursors)) {
        if (of === search) expect(getIds(await get(`?${search}&limit=9&cursor=${cursor}`))).toHaveLength(7);
        else await refused(`?${search}&cursor=${cursor}`);
      }
    }
    await refused(`?sort=random&seed=2&cursor=${cursors["sort=random&seed=1"]}`);
    await refused(`?sort=new&q=toke&cursor=${cursors["sort=new&q=token"]}`);
  });
});

describe("C5-22 while pages are read", () => {
  test.each(["new", "volume", "market_cap", "random&seed=5", "new&q=token"])(
    "C5-22 sorted by %s, launches and blocks neither repeat nor omit another picture",
    async (sort) => {
      await launch(1, 30, (n) => ({ volume_24h_usd: String(n % 7), market_cap: n % 5 }));
      await insertPictures(1, 30);
      const blocked = new Set<number>();
      const ids = await getAll(`sort=${sort}&limit=4`, async (page) => {
        const next = 100 + page;
        await launch(next, next, () => ({ volume_24h_usd: String(page % 7), market_cap: page % 5 }));
        await insertPictures(next, next);
        if (page === 2) {
          blocked.add(11).add(12);
          await query("update app.images set blocked_at = now() where sha256 = decode($1, 'hex')", [toSha256(11)]);
          await query("insert into app.blocked_tokens (token, blocked_at) values ($1, now())", [toToken(12)]);
        }
      });
      expect(new Set(ids).size).toBe(ids.length);
      const earlier = ascending(ids.filter((id) => id <= 30 && !blocked.has(id)));
      expect(earlier).toEqual(numbers(1, 30).filter((id) => !blocked.has(id)));
    },
  );

  test("C5-22 a blocked picture or token is in no page and not in the total, until the block ends", async () => {
    await launch(1, 3);
    await insertPictures(1, 3);
    await query("update app.token_images set sha256 = decode($1, 'hex') where token = $2", [toSha256(1), toToken(2)]);
    const shown = async () => {
      await read.deps.readModel.sync();
      const page = await get("?sort=new");
      expect(page.total).toBe(page.items.length);
      return getIds(page);
    };
    expect(await shown()).toEqual([3, 2, 1]);
    await query("update app.images set blocked_at = now() where sha256 = decode($1, 'hex')", [toSha256(1)]);
    expect(await shown()).toEqual([3]);
    await query("insert into app.blocked_tokens (token, blocked_at) values ($1, now())", [toToken(3)]);
    expect(await shown()).toEqual([]);
    await query("update app.images set blocked_at = null");
    await query("update app.blocked_tokens set blocked_at = null");
    expect(await shown()).toEqual([3, 2, 1]);
    await query("delete from app.images where sha256 = decode($1, 'hex')", [toSha256(1)]);
    expect(await shown()).toEqual([3]);
  });

  test("C5-22 a picture that is stored while it is blocked is not shown, whichever commits first", async () => {
    await launch(1, 2);
    await insertPicture(1);
    for (const n of [1, 2])
      await query("insert into app.token_images (token, uri) values ($1, 'ipfs://x')", [toToken(n)]);
    const store = (db: { query: typeof query }, n: number) =>
      db.query("update app.token_images set sha256 = decode($1, 'hex') where token = $2", [toSha256(1), toToken(n)]);
    const block = (db: { query: typeof query }) => db.query("update app.images set blocked_at = now()");
    for (const [first, second] of [
      [(db: any) => store(db, 1), block],
      [block, (db: any) => store(db, 2)],
    ] as const) {
      await query("update app.images set blocked_at = null");
      const one = await fixture.database.db.api.connect();
      await one.query("begin");
      await first(one as never);
      const later = second({ query } as never);
      await expect
        .poll(async () => (await query("select count(*)::int as n from pg_locks where not granted")).rows[0].n)
        .toBeGreaterThan(0);
      await one.query("commit");
      one.release();
      await later;
      expect((await query("select token from app.gallery where shown")).rows).toEqual([]);
    }
  });
});
