import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { fakeRpc, hex, toHash } from "../../../../../tests/support/server/fakeRpc.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import { readSchema } from "../../../../../tests/support/server/readSchema.ts";
import { insertToken, toAddress } from "../../../../../tests/support/server/rows.ts";
import { parseConfig } from "../../config.ts";
import { type CopyPools, openCopyPools, sharedTypes, toCopySchema } from "../../db/copySchema.ts";
import type { Database } from "../../db/database.ts";
import { grantRoles } from "../../db/roles.ts";
import { allEvents } from "../events/allEvents.ts";
import { createEventCatalog } from "../events/eventModule.ts";
import type { Sources } from "../sources.ts";
import { LeadershipLostError, readCheckpoint } from "../store/checkpoint.ts";
import { acquireFencingToken } from "../store/leadership.ts";
import { openIndex } from "../store/openIndex.ts";
import { dropCopy, dropOldIndex, hasCopy, prepareCopy } from "./createCopy.ts";
import { CopyOutdatedError, lockNotAvailable, switchIndex } from "./switchIndex.ts";

const { rpc } = fakeRpc(({ params }) => {
  const number = Number(params[0]);
  const block = { number: hex(number), hash: toHash(number), parentHash: toHash(number - 1) };
  return { ...block, timestamp: hex(number), transactions: [] };
});
const events = createEventCatalog(allEvents);
const sources: Sources = {
  chainId: 1,
  gasStation: null,
  wrappedNative: toAddress(1),
  ethUsd: null,
  splitters: [],
  openingFactories: [],
  fromBlock: 1,
  deployments: [{ id: 1, launchFactory: toAddress(101), feeLocker: toAddress(111), deploymentBlock: 1, legacy: false }],
  fingerprint: "next",
};

let database: ReadDatabase;
let pools: CopyPools;

beforeAll(async () => {
  database = await startReadDatabase();
  // The copy is written by the role of the indexer, which owns nothing.
  const indexer = new URL(database.url);
  Object.assign(indexer, { username: "slipway_indexer", password: "slipway_indexer" });
  const config = parseConfig({
    DATABASE_URL: database.url,
    DATABASE_INDEXER_URL: indexer.href,
    RPC_URL: "http://127.0.0.1:1",
  });
  await grantRoles(database.db.indexer, config, pino({ level: "silent" }));
  pools = openCopyPools(config, () => undefined);
});
afterAll(async () => {
  await pools?.close();
  await database?.stop();
});
beforeEach(async () => {
  await dropCopy(pools.owner);
  await database.db.indexer.query("delete from chain.tokens; delete from chain.checkpoint; delete from chain.outbox");
  await database.db.indexer.query("truncate app.token_images, app.gallery, app.gallery_items");
});

/** Opens an index with older rules, and a copy for the next rules. @returns what the switch needs. */
async function openBoth() {
  const { indexer } = database.db;
  await openIndex(indexer, rpc, { ...sources, fingerprint: "older" }, events);
  expect(await prepareCopy(pools.owner, sources.fingerprint)).toBe(true);
  await openIndex(pools.pool, rpc, sources, events, false);
  const current = { fencingToken: await acquireFencingToken(indexer), checkpoint: (await readCheckpoint(indexer))! };
  const copyFencingToken = await acquireFencingToken(pools.pool);
  expect((await pools.pool.query("select current_user as role")).rows).toEqual([{ role: "slipway_indexer" }]);
  return { fingerprint: sources.fingerprint, fromBlock: 1, current, copyFencingToken };
}

/** Everything that a statement, a plan or a privilege depends on. */
async function readDefinitions(): Promise<unknown> {
  const { rows: relations } = await database.db.indexer.query(
    `select c.relname, c.relkind, c.relpersistence, c.reloptions, pg_get_partkeydef(c.oid) as key, i.indisvalid,
       pg_get_indexdef(i.indexrelid) as index, array(select a::text from unnest(c.relacl) a order by 1) as acl
     from pg_class c left join pg_index i on i.indexrelid = c.oid
     where c.relnamespace = 'chain'::regnamespace and c.relname !~ '^trades_[0-9]' order by 1`,
  );
  return {
    relations,
    schema: Object.fromEntries(
      [...(await readSchema(database.db.indexer))].filter(([name]) => !/trades_\d/.test(name)),
    ),
  };
}

const query = async (sql: string) => (await database.db.indexer.query(sql)).rows;

test("after the switch, schema chain has the definitions and privileges that it had before", async () => {
  const before = await readDefinitions();
  for (let i = 0; i < 2; i++) {
    await switchIndex(pools.owner, await openBoth());
    await dropOldIndex(pools.owner);
    expect(await readDefinitions()).toEqual(before);
    expect(await hasCopy(database.db.indexer)).toBe(false);
  }
  // Rows of the outbox stay, and one new row makes all readers read again.
  expect(await query("select kind, payload from chain.outbox order by id")).toEqual(
    Array.from({ length: 4 }, () => ({ kind: "batch", payload: { from_block: 1, to_block: 0 } })),
  );
  expect(await query("select sources, block_number from chain.checkpoint")).toEqual([
    { sources: "next", block_number: 0 },
  ]);
});

test("prepared statements and functions of open connections use the new tables", async () => {
  const options = await openBoth();
  await insertToken(database.db, 1, { name: "Old" });
  await insertToken({ indexer: pools.pool } as unknown as Database, 1, { name: "New" });
  const client = await database.connect();
  const read = async () => {
    const { rows } = await client.query({ name: "names", text: "select name from chain.tokens" });
    await client.query("select * from chain.token_candles(1, 60, 0, 1000, 10)");
    return rows;
  };
  // PostgreSQL keeps a generic plan from the sixth execution on.
  for (let i = 0; i < 8; i++) expect(await read()).toEqual([{ name: "Old" }]);
  await switchIndex(pools.owner, options);
  await dropOldIndex(pools.owner);
  expect(await read()).toEqual([{ name: "New" }]);
  // The triggers of the new tables keep the sums in schema chain.
  await client.query("insert into chain.traders (token_id, account_id, last_time) values (0, 1, 60)");
  expect(await query("select t, traders from chain.trader_minutes")).toEqual([{ t: 60, traders: 1 }]);
});

test("pictures stay with their tokens when the next index gives a token another id", async () => {
  const options = await openBoth();
  const copy = { indexer: pools.pool } as unknown as Database;
  for (const n of [1, 2, 3]) {
    const sha256 = n.toString(16).padStart(64, "a");
    const [address, pool] = [toAddress(1_000 + n), toAddress(2_000 + n)];
    await insertToken(database.db, n, { address, pool });
    if (n < 3) await insertToken(copy, 3 - n, { address, pool, name: `Token ${n}` });
    await database.db.indexer.query(
      `insert into app.images (sha256, cid, content_type, bytes, width, height, animated, blurhash, dominant_color)
       values (decode($1, 'hex'), $1, 'image/webp', 10, 20, 20, false, 'LEHV6n', '#102030') on conflict do nothing`,
      [sha256],
    );
    await database.db.indexer.query(
      "insert into app.token_images (token, uri, sha256) values ($1, 'ipfs://x', decode($2, 'hex'))",
      [address, sha256],
    );
  }
  expect(await query("select token_id from app.gallery_items order by 1")).toHaveLength(3);
  await switchIndex(pools.owner, options);
  expect(await query("select token_id, token from app.gallery_items order by 1")).toEqual([
    { token_id: 1, token: toAddress(1_002) },
    { token_id: 2, token: toAddress(1_001) },
  ]);
  expect(await query("select * from app.wanted_gallery_items except select * from app.gallery_items")).toEqual([]);
});

test("the switch is refused while a reader has a table, to a former leader, at another block, and after a migration", async () => {
  const options = await openBoth();
  const reader = await database.connect();
  await reader.query("begin; select count(*) from chain.trades");
  await expect(switchIndex(pools.owner, options)).rejects.toMatchObject({ code: lockNotAvailable });
  await reader.query("rollback");

  const former = { ...options.current, fencingToken: options.current.fencingToken - 1 };
  await expect(switchIndex(pools.owner, { ...options, current: former })).rejects.toThrow(LeadershipLostError);
  await pools.pool.query("update chain.checkpoint set block_hash = $1", [toHash(7)]);
  await expect(switchIndex(pools.owner, options)).rejects.toThrow(CopyOutdatedError);
  await pools.pool.query("update chain.checkpoint set block_hash = $1", [toHash(0)]);

  await query("insert into public.slipway_migrations (name, checksum) values ('9999_later.sql', '')");
  await expect(switchIndex(pools.owner, options)).rejects.toThrow(CopyOutdatedError);
  expect(await query("select sources from chain.checkpoint")).toEqual([{ sources: "older" }]);
  // The next attempt begins with the tables of this schema.
  expect(await prepareCopy(pools.owner, sources.fingerprint)).toBe(true);
  expect(await prepareCopy(pools.owner, sources.fingerprint)).toBe(false);
  await query("delete from public.slipway_migrations where name = '9999_later.sql'");
});

test("views of other programs read the new tables, and a materialized view keeps the replaced ones", async () => {
  await query("create schema reports; create view reports.names as select name from chain.tokens");
  const options = await openBoth();
  await insertToken({ indexer: pools.pool } as unknown as Database, 1, { name: "New" });
  await switchIndex(pools.owner, options);
  await dropOldIndex(pools.owner);
  expect(await query("select name from reports.names")).toEqual([{ name: "New" }]);
  await query("create materialized view reports.kept as select name from chain.tokens");
  await switchIndex(pools.owner, await openBoth());
  await expect(dropOldIndex(pools.owner)).rejects.toThrow("other objects depend on");
  await query("drop schema reports cascade");
  await dropOldIndex(pools.owner);
});

test("all types of schema chain are shared with a copy", async () => {
  const rows = await query(
    `select t.typname::text as name from pg_type t left join pg_class c on c.oid = t.typrelid
     where t.typnamespace = 'chain'::regnamespace and t.typcategory <> 'A' and (t.typrelid = 0 or c.relkind = 'c') order by 1`,
  );
  expect(rows.map(({ name }) => name)).toEqual(sharedTypes);
  expect(toCopySchema("chain.candles, chain.candle, 'chain.%I', chain_old.x, null::chain.trades")).toBe(
    "chain_next.candles, chain.candle, 'chain_next.%I', chain_old.x, null::chain_next.trades",
  );
});
