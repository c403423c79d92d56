import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import { readHistoryState } from "@slipway/server/history/stateQueries";
import type { TradePage } from "@slipway/server/history/tradePageQueries";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seededAddress } from "../../bench/seedModel.ts";
import {
  copyAll,
  detach,
  openEngine,
  openHistory,
  setFinal,
  startSeededDatabase,
} from "../support/engine/historyFixture.ts";
import { type Cluster, startCluster } from "../support/engine/startCluster.ts";
import type { ReadDatabase } from "../support/server/readDatabase.ts";
import { headTime } from "../support/server/rows.ts";
import { describeHistory, type HistorySetup } from "./historyBehaviour.ts";

const day = 86_400;

/** Two nodes of ClickHouse 18.16 with ZooKeeper: DDL on the cluster, sharding, replication, the loss of a node. */
describe("history in a cluster with two shards (ClickHouse 18.16)", () => {
  const folder = temporaryFolder();
  let cluster: Cluster;
  let setup: HistorySetup;
  beforeAll(async () => {
    cluster = await startCluster(folder.path, "two_shards");
    const database = await startSeededDatabase();
    setup = { database, engine: cluster, clickHouse: openEngine(cluster.url, cluster.name), cluster: cluster.name };
  });
  afterAll(async () => {
    await setup?.database.stop();
    await cluster?.stop();
    folder.remove();
  });

  describeHistory(() => setup);

  test("each shard has the trades of other tokens", async () => {
    const { generation } = (await readHistoryState(setup.database.db.indexer))!;
    const list = async (node: 0 | 1) =>
      (await cluster.queryNode(node, `select distinct token_id from slipway.trades_${generation}_local`)).split("\n");
    const [first, second] = [await list(0), await list(1)];
    expect(first.length).toBeGreaterThan(10);
    expect(second.length).toBeGreaterThan(10);
    expect(first.filter((id) => second.includes(id))).toEqual([]);
  });

  test("without a shard old trades are 503, recent ones are answered, and nothing is missing when it is back", async () => {
    const { database, clickHouse } = setup;
    const history = openHistory(clickHouse);
    const { read } = database.db;
    const before = await history.latest(read, seededAddress(3), 300);
    await cluster.kill(1);
    await expect(history.latest(read, seededAddress(3), 300)).rejects.toMatchObject({ code: "history_unavailable" });
    expect(await history.latest(read, seededAddress(3), 5)).toMatchObject({ trades: before!.trades.slice(0, 5) });
    await cluster.restart(1);
    await expect.poll(async () => await history.latest(read, seededAddress(3), 300).catch(() => null)).toEqual(before);
  });
});

describe("history in a cluster with two replicas (ClickHouse 18.16)", () => {
  const folder = temporaryFolder();
  let cluster: Cluster;
  let database: ReadDatabase;
  beforeAll(async () => {
    cluster = await startCluster(folder.path, "two_replicas");
    database = await startSeededDatabase();
  });
  afterAll(async () => {
    await database?.stop();
    await cluster?.stop();
    folder.remove();
  });

  test("the loss of a replica costs no read and no copy, and the replica catches up", async () => {
    const clickHouse = openEngine(cluster.url, cluster.name);
    const { read, indexer } = database.db;
    await setFinal(database, headTime - 2 * day);
    await copyAll(database, clickHouse);
    const expected = await openHistory(null).latest(read, seededAddress(1), 300);
    const page = { address: seededAddress(9), limit: 300, before: null, account: null, maker: null, side: null };
    const all = (await openHistory(null).before(read, page)) as TradePage;
    await detach(database, headTime - 4 * day);

    await cluster.kill(1);
    const history = openHistory(clickHouse);
    expect(await history.latest(read, seededAddress(1), 300)).toEqual(expected);
    await setFinal(database, headTime - day);
    await copyAll(database, clickHouse);
    expect(((await history.before(read, page)) as TradePage).trades).toEqual(all.trades);

    await cluster.restart(1);
    const { generation } = (await readHistoryState(indexer))!;
    const count = (node: 0 | 1) => cluster.queryNode(node, `select count() from slipway.trades_${generation}_local`);
    await expect.poll(() => count(1)).toBe(await count(0));
  });
});
