import { parseConfig } from "@slipway/server/config";
import { grantRoles } from "@slipway/server/db/roles";
import type pg from "pg";
import { pino } from "pino";
import { beforeEach, describe, expect, test } from "vitest";
import { createReadApp, type ReadApp } from "../../../../../tests/support/server/readApp.ts";
import { insertIndex, insertToken, toAddress } from "../../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../../tests/support/server/useReadApp.ts";

const fixture = useReadApp();
let read: ReadApp;

beforeEach(async () => {
  const { db, url } = fixture.database;
  read = await createReadApp(db, { SITE_URL: "https://launch.example", READ_CACHE_BYTES: "0" });
  await insertIndex(db);
  await grantRoles(
    db.indexer,
    parseConfig({ DATABASE_URL: url, RPC_URL: "http://127.0.0.1:1" }),
    pino({ level: "silent" }),
  );
});

const query = (text: string, values: unknown[] = []) => fixture.database.db.api.query(text, values);
const toSha256 = (n: number) => n.toString(16).padStart(64, "a");
const toToken = (n: number) => toAddress(1_000 + n);

async function insertPicture(n: number, db: { query: typeof query } = { query }): Promise<void> {
  await db.query(
    `insert into app.images (sha256, cid, content_type, bytes, width, height, animated, blurhash, dominant_color)
     values (decode($1, 'hex'), $1, 'image/webp', 10, $2, 20, false, 'LEHV6n', '#102030') on conflict do nothing`,
    [toSha256(n), n],
  );
  await db.query(
    `insert into app.token_images (token, uri, sha256) values ($1, 'ipfs://x', decode($2, 'hex'))
     on conflict (token) do update set sha256 = excluded.sha256`,
    [toToken(n), toSha256(n)],
  );
}

const launch = (n: number, id: number, name = `Token ${n}`) =>
  insertToken(fixture.database.db, id, {
    address: toToken(n),
    name,
    block_number: 100 + id,
    pool: toAddress(9_000 + n),
  });

/** Removes a launch as a reorganisation does, by the indexer's role. */
async function removeLaunch(db: Pick<pg.ClientBase, "query">, id: number): Promise<void> {
  await db.query("delete from chain.token_state where token_id = $1", [id]);
  await db.query("delete from chain.tokens where id = $1", [id]);
}

/** Returns the shown pictures as token name and width; all orders must have the same pictures. */
async function getShown(): Promise<string[]> {
  const orders: string[][] = [];
  for (const search of [
    "sort=new",
    "sort=volume",
    "sort=market_cap",
    "sort=random",
    "sort=new&q=t",
    "sort=volume&q=t",
  ]) {
    const { status, json } = await read.get(`/gallery?${search}&limit=100`);
    expect([status, json.next_cursor]).toEqual([200, null]);
    orders.push(json.items.map(({ token, image }: any) => `${token.name} ${image.width}`).sort());
  }
  for (const order of orders) expect(order).toEqual(orders[0]);
  const different = await query(
    `(select * from app.wanted_gallery_items except select * from app.gallery_items)
     union all (select * from app.gallery_items except select * from app.wanted_gallery_items)`,
  );
  expect(different.rows).toEqual([]);
  return orders[0]!;
}

/** Runs `second` until it waits for the transaction of `first`, then commits `first`. */
async function interleave(
  first: (db: pg.PoolClient) => Promise<unknown>,
  second: () => Promise<unknown>,
): Promise<void> {
  const client = await fixture.database.db.indexer.connect();
  try {
    await client.query("begin");
    await first(client);
    const later = second();
    const isWaiting = "select count(*)::int as n from pg_locks where not granted";
    await expect.poll(async () => (await query(isWaiting)).rows[0].n).toBeGreaterThan(0);
    await client.query("commit");
    await later;
  } finally {
    client.release(true);
  }
}

describe("C5-22 the items of the gallery follow reorganisations:", () => {
  test("a token with the id of a removed token does not show the removed token's picture", async () => {
    await launch(1, 1);
    await launch(2, 2);
    await insertPicture(1);
    await insertPicture(2);
    expect(await getShown()).toEqual(["Token 1 1", "Token 2 2"]);
    await removeLaunch(fixture.database.db.indexer, 2);
    expect(await getShown()).toEqual(["Token 1 1"]);
    await launch(3, 2);
    expect(await getShown()).toEqual(["Token 1 1"]);
    // The removed launch is indexed again in a later block, with another name.
    await launch(2, 3, "Token two");
    expect(await getShown()).toEqual(["Token 1 1", "Token two 2"]);
    await insertPicture(3);
    expect(await getShown()).toEqual(["Token 1 1", "Token 3 3", "Token two 2"]);
  });

  test("an index that is rebuilt in another order shows each picture with its own token", async () => {
    const { indexer } = fixture.database.db;
    for (const n of [1, 2, 3]) {
      await launch(n, n);
      await insertPicture(n);
    }
    await indexer.query("truncate chain.tokens, chain.token_state");
    expect(await getShown()).toEqual([]);
    for (const n of [3, 1, 2]) await launch(n, 4 - n);
    expect(await getShown()).toEqual(["Token 1 1", "Token 2 2", "Token 3 3"]);
  });

  test("a picture that is blocked, or stored before its launch is indexed, appears when both allow it", async () => {
    await insertPicture(1);
    expect(await getShown()).toEqual([]);
    await launch(1, 1);
    expect(await getShown()).toEqual(["Token 1 1"]);
    await query("update app.images set blocked_at = now()");
    await removeLaunch(fixture.database.db.indexer, 1);
    await launch(1, 2);
    expect(await getShown()).toEqual([]);
    await query("update app.images set blocked_at = null");
    expect(await getShown()).toEqual(["Token 1 1"]);
  });

  test("a picture that is stored while its launch is removed is not shown, whichever commits first", async () => {
    await launch(1, 1);
    await interleave(
      (client) => removeLaunch(client, 1),
      () => insertPicture(1),
    );
    expect(await getShown()).toEqual([]);
    await launch(2, 2);
    await interleave(
      (client) => insertPicture(2, client as never),
      () => removeLaunch(fixture.database.db.indexer, 2),
    );
    expect(await getShown()).toEqual([]);
  });

  test("the indexer's role may not write the items, but its changes keep them correct", async () => {
    await launch(1, 1);
    await insertPicture(1);
    const client = await fixture.database.db.indexer.connect();
    try {
      await client.query("set role slipway_indexer");
      await expect(client.query("delete from app.gallery_items")).rejects.toThrow("permission denied");
      const { rows } = await client.query("select * from chain.tokens");
      await removeLaunch(client, 1);
      expect(await getShown()).toEqual([]);
      await client.query("insert into chain.tokens select (json_populate_record(null::chain.tokens, $1::json)).*", [
        JSON.stringify({ ...rows[0], id: 7 }),
      ]);
      const { rows: items } = await query("select token_id, token from app.gallery_items");
      expect(items).toEqual([{ token_id: 7, token: toToken(1) }]);
    } finally {
      client.release(true);
    }
  });
});
