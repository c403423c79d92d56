import pg from "pg";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import { insertAccount, toHash } from "../../../../../tests/support/server/rows.ts";
import { insertTradeBlocks, setReorgWindow } from "../../../../../tests/support/server/tradePartitions.ts";
import { allEvents } from "../../indexer/events/allEvents.ts";
import { createEventCatalog } from "../../indexer/events/eventModule.ts";
import { undoTo } from "../../indexer/store/undoTo.ts";
import { detachTrades, findDetachable, listPartitions, orderTrades, pruneHolderMinutes } from "./partitionQueries.ts";

let database: ReadDatabase;
beforeEach(async () => {
  database = await startReadDatabase();
  for (const id of [1, 2, 3]) await insertAccount(database.db, id);
});
afterEach(() => database?.stop());

const limits = { minTrades: 1, maxTrades: 1_000 };

const insertBlocks = (from: number, to: number) => insertTradeBlocks(database.db, from, to);
const setWindow = (oldest: number, head: number) => setReorgWindow(database.db, oldest, head);

const rows = async () =>
  (await database.db.indexer.query("select * from chain.trade_rows order by block_number, log_index")).rows;

const ranges = async () =>
  (await listPartitions(database.db.indexer)).map(({ fromBlock, lastBlock, trades }) => [fromBlock, lastBlock, trades]);

/** Lists tables of trades that are no partition: remains of an interrupted run. */
const strays = async () =>
  (
    await database.db.indexer.query(
      `select relname from pg_class where relnamespace = 'chain'::regnamespace and relkind = 'r' and relname ~ 'trades'
         and not relispartition`,
    )
  ).rows;

test("minutes of holders are deleted after eight days, and none that a reorganisation can undo", async () => {
  const { indexer } = database.db;
  const head = 2_000_000;
  const eightDays = 8 * 86_400;
  const list = async () =>
    (await indexer.query<{ t: number }>("select t from chain.holder_minutes order by t")).rows.map(({ t }) => head - t);
  await indexer.query("insert into chain.holder_minutes select 1, $1 - age, 1, 0 from unnest($2::bigint[]) age", [
    head,
    [0, 60, eightDays, eightDays + 1, eightDays + 9_000],
  ]);
  await setWindow(head - eightDays - 8_000, head - eightDays - 8_000);
  await indexer.query("update chain.checkpoint set block_time = $1", [head]);
  expect(await pruneHolderMinutes(indexer)).toBe(1);
  await setWindow(head - 100, head);
  expect(await pruneHolderMinutes(indexer)).toBe(1);
  expect(await list()).toEqual([eightDays, 60, 0]);
});

describe("ordering trades", () => {
  test("puts the final trades of a token together, and changes no row", async () => {
    await insertBlocks(1, 60);
    await setWindow(50, 60);
    const before = await rows();
    expect(await orderTrades(database.db.indexer, limits)).toBe(49);
    expect(await rows()).toEqual(before);
    expect(await ranges()).toEqual([
      [0, 49, 49],
      [50, null, null],
    ]);
    const { rows: stored } = await database.db.indexer.query(
      "select token_id, block_number from chain.trades where block_number < 50 order by ctid",
    );
    expect(stored).toEqual(stored.toSorted((a, b) => a.token_id - b.token_id || a.block_number - b.block_number));
    const [first] = await listPartitions(database.db.indexer);
    expect(first).toMatchObject({ firstTime: 1, lastTime: 49 });
  });

  test("uses the indexes of the partitioned table for each partition, and its own by token and by block", async () => {
    await insertBlocks(1, 60);
    await setWindow(50, 60);
    await orderTrades(database.db.indexer, limits);
    const { rows: own } = await database.db.indexer.query(
      `select p.to_block is null as is_open, x.indisunique, x.indnkeyatts as keys,
         x.indnatts = (select count(*) from pg_attribute where attrelid = t.oid and attnum > 0) as has_all_columns
       from pg_class i join pg_index x on x.indexrelid = i.oid
       join pg_class t on t.oid = x.indrelid and t.relnamespace = 'chain'::regnamespace
       join chain.trade_partitions p on t.relname = 'trades_' || p.id
       where not i.relispartition order by p.from_block, x.indnkeyatts`,
    );
    expect(own).toEqual([
      { is_open: false, indisunique: false, keys: 1, has_all_columns: false },
      { is_open: false, indisunique: false, keys: 2, has_all_columns: false },
      { is_open: true, indisunique: true, keys: 3, has_all_columns: true },
    ]);
  });

  test("waits for enough final trades", async () => {
    await insertBlocks(1, 60);
    await setWindow(50, 60);
    expect(await orderTrades(database.db.indexer, { ...limits, minTrades: 50 })).toBe(0);
    expect(await ranges()).toEqual([[0, null, null]]);
  });

  test("never orders trades of the reorg window", async () => {
    await insertBlocks(1, 60);
    await setWindow(1, 60);
    expect(await orderTrades(database.db.indexer, limits)).toBe(0);
    await expect(database.db.indexer.query("select chain.order_trades(20, 1, 100)")).rejects.toThrow(
      "blocks below 20 are not final",
    );
    expect(await ranges()).toEqual([[0, null, null]]);
  });

  test("merges smaller partitions, so that few remain, and none exceeds the limit", async () => {
    for (let block = 10; block <= 320; block += 10) {
      await insertBlocks(block - 9, block);
      await setWindow(block + 1, block + 1);
      await orderTrades(database.db.indexer, { minTrades: 1, maxTrades: 200 });
    }
    const sizes = (await ranges()).map(([, , trades]) => trades);
    expect(sizes.at(-1)).toBeNull();
    expect(sizes.length).toBeLessThan(8);
    expect(Math.max(...sizes.map(Number))).toBeLessThanOrEqual(200);
    expect(sizes.reduce((sum: number, trades) => sum + Number(trades), 0)).toBe(320);
    expect(await rows()).toHaveLength(320);
  });

  test("C2-80 two workers at once order the trades once", async () => {
    await insertBlocks(1, 60);
    await setWindow(50, 60);
    const before = await rows();
    const ordered = await Promise.all([1, 2, 3].map(() => orderTrades(database.db.indexer, limits)));
    expect(ordered.toSorted((a, b) => a - b)).toEqual([0, 0, 49]);
    expect(await rows()).toEqual(before);
    expect(await ranges()).toHaveLength(2);
  });

  test("C2-81 a worker that is killed before the exchange leaves all trades and no table", async () => {
    await insertBlocks(1, 60);
    await setWindow(50, 60);
    const before = await rows();
    // A reader prevents the exchange until the worker is killed.
    const reader = await database.connect();
    await reader.query("begin");
    await reader.query("select count(*) from chain.trades");
    const worker = orderTrades(database.db.indexer, limits);
    const killed = expect(worker).rejects.toThrow();
    await vi.waitFor(async () => {
      const { rowCount } = await reader.query(
        `select pg_terminate_backend(pid) from pg_locks
         where relation = 'chain.trades'::regclass and mode = 'AccessExclusiveLock' and not granted`,
      );
      expect(rowCount).toBe(1);
    });
    await killed;
    await reader.query("rollback");
    expect(await rows()).toEqual(before);
    expect(await ranges()).toEqual([[0, null, null]]);
    expect(await strays()).toEqual([]);
    expect(await orderTrades(database.db.indexer, limits)).toBe(49);
  });

  test("C2-82 a commit of the indexer during the copy is not lost", async () => {
    await insertBlocks(1, 60);
    await setWindow(50, 60);
    const reader = await database.connect();
    await reader.query("begin");
    await reader.query("select count(*) from chain.trades");
    const worker = orderTrades(database.db.indexer, limits);
    await vi.waitFor(async () => {
      const { rows: waiting } = await reader.query(
        "select from pg_locks where relation = 'chain.trades'::regclass and mode = 'AccessExclusiveLock'",
      );
      expect(waiting).toHaveLength(1);
    });
    await insertBlocks(61, 65);
    await reader.query("rollback");
    expect(await worker).toBe(49);
    expect(await rows()).toHaveLength(65);
  });
});

describe("a reorganisation", () => {
  const undo = async (block: number) =>
    await undoTo(database.db.indexer, createEventCatalog(allEvents), 0, {
      blockNumber: block,
      blockHash: toHash(block),
      blockTime: block,
      batchId: block,
    });

  test("C2-83 at the edge of an ordered partition removes exactly the trades above its block", async () => {
    await insertBlocks(1, 60);
    await setWindow(50, 60);
    await orderTrades(database.db.indexer, limits);
    const before = await rows();
    await undo(50);
    expect(await rows()).toEqual(before.filter((row) => row.block_number <= 50));
    await undo(49);
    expect(await rows()).toEqual(before.filter((row) => row.block_number <= 49));
    await insertBlocks(50, 70);
    await setWindow(65, 70);
    expect(await orderTrades(database.db.indexer, limits)).toBe(15);
    expect(await rows()).toHaveLength(70);
  });

  test("C2-84 deeper than expected removes trades of an ordered partition, and new trades enter it", async () => {
    await insertBlocks(1, 60);
    await setWindow(50, 60);
    await orderTrades(database.db.indexer, limits);
    await undo(30);
    expect((await rows()).map((row) => row.block_number)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
    await insertBlocks(31, 90);
    expect(await rows()).toHaveLength(90);
    // The partition takes in the next final trades, and is in order again.
    await setWindow(80, 90);
    expect(await orderTrades(database.db.indexer, limits)).toBe(79);
    expect(await rows()).toHaveLength(90);
  });
});

describe("detaching", () => {
  beforeEach(async () => {
    await insertBlocks(1, 100);
    await setWindow(40, 100);
    await orderTrades(database.db.indexer, limits);
    await setWindow(60, 100);
    await orderTrades(database.db.indexer, { minTrades: 1, maxTrades: 50 });
  });

  test("C2-85 refuses trades that are not final, or not older than the time", async () => {
    const partitions = await listPartitions(database.db.indexer);
    expect(partitions.map(({ lastBlock }) => lastBlock)).toEqual([39, 59, null]);
    expect(findDetachable(partitions, 39)).toEqual([]);
    expect(findDetachable(partitions, 40)).toEqual(partitions.slice(0, 1));
    expect(findDetachable(partitions, 10 ** 12)).toEqual(partitions.slice(0, 2));
    expect(await detachTrades(database.db.indexer, { before: 39, drop: true })).toEqual([]);
    expect(await rows()).toHaveLength(100);
  });

  test("removes the oldest partition from all reads, and keeps it as a table", async () => {
    const before = await rows();
    const detached = await detachTrades(database.db.indexer, { before: 40, drop: false });
    expect(detached.map(({ lastBlock }) => lastBlock)).toEqual([39]);
    expect(await rows()).toEqual(before.filter((row) => row.block_number >= 40));
    const { rows: kept } = await database.db.indexer.query("select count(*)::int as n from chain.detached_trades_0_39");
    expect(kept).toEqual([{ n: 39 }]);
    // The next order takes in only attached partitions.
    await setWindow(90, 100);
    await orderTrades(database.db.indexer, limits);
    expect(await ranges()).toEqual([
      [40, 89, 50],
      [90, null, null],
    ]);
  });

  test("C2-85 refuses trades that the history engine lacks, and records trades that only the engine has", async () => {
    const { indexer } = database.db;
    await indexer.query(
      "insert into chain.history (generation, copied_block, copied_time) values ('0123456789ab', 30, 1000000)",
    );
    await expect(detachTrades(indexer, { before: 40, drop: true })).rejects.toThrow("engine does not have all trades");
    expect(await rows()).toHaveLength(100);
    await indexer.query("update chain.history set copied_block = 39");
    expect(await detachTrades(indexer, { before: 40, drop: true })).toHaveLength(1);
    const { rows: state } = await indexer.query("select detached_block, detached_time from chain.history");
    expect(state).toEqual([{ detached_block: 39, detached_time: 39 }]);
  });

  test("with `drop`, deletes the trades; a rebuild accepts their blocks again", async () => {
    await detachTrades(database.db.indexer, { before: 10 ** 12, drop: true });
    expect(await ranges()).toEqual([[60, null, null]]);
    expect(await strays()).toEqual([]);
    await expect(insertBlocks(1, 1)).rejects.toThrow("no partition");
    await database.db.indexer.query("select chain.reset_trades()");
    await insertBlocks(1, 10);
    expect(await ranges()).toEqual([[0, null, null]]);
    expect(await rows()).toHaveLength(10);
  });
});

test("C2-86 the role of the API can neither order nor empty trades", async () => {
  const api = new pg.Client({ connectionString: database.url });
  await api.connect();
  try {
    await api.query("set role slipway_api");
    await expect(api.query("select chain.order_trades(1, 1, 1)")).rejects.toThrow("permission denied");
    await expect(api.query("select chain.reset_trades()")).rejects.toThrow("permission denied");
    await api.query("set role slipway_indexer");
    await api.query("select chain.order_trades(1, 1, 1)");
  } finally {
    await api.end();
  }
});
