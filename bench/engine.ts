import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import type { History } from "@slipway/server/history/history";
import { copyAll, detach, openEngine, openHistory, setFinal } from "../tests/support/engine/historyFixture.ts";
import { startChdb, type TestEngine } from "../tests/support/engine/startChdb.ts";
import { startCluster } from "../tests/support/engine/startCluster.ts";
import { type ReadDatabase, startReadDatabase } from "../tests/support/server/readDatabase.ts";
import { headTime } from "../tests/support/server/rows.ts";
import { percentile } from "./percentile.ts";
import { seedIndex } from "./seedIndex.ts";
import { seededAddress } from "./seedModel.ts";

/**
 * The history engine beside PostgreSQL, with the same rows in one run: bytes on disk for each trade, the latest 300
 * trades and 300 candles of busy tokens, and the rate of the copy. Exit code 1 if the engine's trades take more than 0.3
 * of the bytes of PostgreSQL's. `node bench/engine.ts [--trades 300000] [--tokens 2000] [--requests 200] [--cluster]`;
 * `--cluster` uses two shards of ClickHouse 18.16 in place of chDB.
 */
const { values } = parseArgs({
  options: {
    trades: { type: "string", default: "300000" },
    tokens: { type: "string", default: "2000" },
    requests: { type: "string", default: "200" },
    cluster: { type: "boolean", default: false },
  },
});
const size = { trades: Number(values.trades), tokens: Number(values.tokens) };
const requests = Number(values.requests);
const maxRatio = 0.3;
const far = 10 ** 12;

async function startEngine(
  folder: string,
): Promise<{ engine: TestEngine; nodes: (statement: string) => Promise<string>[]; name?: string }> {
  if (!values.cluster) {
    const engine = await startChdb(folder);
    return { engine, nodes: (statement) => [engine.query(statement)] };
  }
  const cluster = await startCluster(folder, "two_shards");
  const nodes = (statement: string) => ([0, 1] as const).map((node) => cluster.queryNode(node, statement));
  return { engine: cluster, nodes, name: cluster.name };
}

/** Bytes of the rows and indexes of a table in PostgreSQL. */
async function measurePostgres({ db }: ReadDatabase, table: string): Promise<number> {
  await db.indexer.query(`vacuum full ${table}`);
  const { rows } = await db.indexer.query("select pg_total_relation_size($1::regclass)::float8 as bytes", [table]);
  return rows[0].bytes;
}

/** Milliseconds of reads of busy tokens, one after the other. */
async function measureReads(history: History, { db }: ReadDatabase) {
  const busy = (n: number) => seededAddress(1 + (n % 20));
  const kinds: Record<string, (n: number) => Promise<unknown>> = {
    "latest 300": (n) => history.latest(db.read, busy(n), 300),
    "300 candles": (n) =>
      history.candles(db.read, { address: busy(n), seconds: 60, bucketSeconds: 60, before: far, limit: 300 }),
  };
  const results: Record<string, { p50: number; p99: number }> = {};
  for (const [kind, read] of Object.entries(kinds)) {
    for (let n = 0; n < 20; n++) await read(n);
    const times: number[] = [];
    for (let n = 0; n < requests; n++) {
      const start = performance.now();
      await read(n);
      times.push(performance.now() - start);
    }
    results[kind] = { p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
  }
  return results;
}

const folder = temporaryFolder();
const database = await startReadDatabase();
mkdirSync(join(folder.path, "engine"));
const { engine, nodes, name } = await startEngine(join(folder.path, "engine"));
try {
  process.stderr.write(`seeding ${size.trades} trades of ${size.tokens} tokens\n`);
  await seedIndex(database.db.indexer, { ...size, headTime });
  const stored = {
    trades: await measurePostgres(database, "chain.trades"),
    candles: await measurePostgres(database, "chain.candles"),
  };
  await database.db.indexer.query("vacuum analyze");
  const before = await measureReads(openHistory(null), database);

  await setFinal(database, headTime);
  const clickHouse = openEngine(engine.url, name);
  const start = performance.now();
  await copyAll(database, clickHouse);
  const seconds = (performance.now() - start) / 1_000;
  const { rows } = await database.db.indexer.query("select generation from chain.history");
  const suffix = `${rows[0].generation}${name === undefined ? "" : "_local"}`;
  const copied: Record<string, number> = {};
  for (const table of ["trades", "candles"]) {
    await Promise.all(nodes(`optimize table slipway.${table}_${suffix} final`));
    const sizes = await Promise.all(
      nodes(`select sum(bytes_on_disk) from system.parts where active and table = '${table}_${suffix}'`),
    );
    copied[table] = sizes.reduce((sum, text) => sum + Number(text), 0);
  }
  // All trades but those of the last two days are then in the engine only.
  await detach(database, headTime - 2 * 86_400);
  await database.db.indexer.query("delete from chain.trades");
  await database.db.indexer.query("delete from chain.candles");
  const after = await measureReads(openHistory(clickHouse), database);

  const perTrade = (bytes: number) => (bytes / size.trades).toFixed(1);
  const ratio = copied.trades! / stored.trades;
  const both = (copied.trades! + copied.candles!) / (stored.trades + stored.candles);
  process.stdout.write(
    [
      `${name === undefined ? "chDB" : "ClickHouse 18.16, two shards"}: ${size.trades} trades of ${size.tokens} tokens`,
      `bytes a trade, trades          PostgreSQL ${perTrade(stored.trades)}   engine ${perTrade(copied.trades!)}   ratio ${ratio.toFixed(2)} (at most ${maxRatio})`,
      `bytes a trade, candles         PostgreSQL ${perTrade(stored.candles)}   engine ${perTrade(copied.candles!)}   ratio ${(copied.candles! / stored.candles).toFixed(2)}`,
      `bytes a trade, both            ratio ${both.toFixed(2)}`,
      ...Object.entries(after).map(([kind, { p50, p99 }]) => {
        const { p50: own50, p99: own99 } = before[kind]!;
        return `${kind.padEnd(30)} PostgreSQL p50 ${own50.toFixed(1)} p99 ${own99.toFixed(1)} ms   engine p50 ${p50.toFixed(1)} p99 ${p99.toFixed(1)} ms   ratio of p50 ${(p50 / own50).toFixed(1)}`;
      }),
      `copied and compared            ${Math.round(size.trades / seconds)} trades a second`,
      "",
    ].join("\n"),
  );
  if (ratio > maxRatio) process.exitCode = 1;
} finally {
  await engine.stop();
  await database.stop();
  folder.remove();
}
