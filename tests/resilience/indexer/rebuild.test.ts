import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import type { ManifestState } from "@slipway/server/chain/chain";
import { openDatabase } from "@slipway/server/db/database";
import type { Deps } from "@slipway/server/deps";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { buildTestApp } from "../../support/buildTestApp.ts";
import { unlimited } from "../../support/conformance/unlimited.ts";
import { startReplicatedPostgres } from "../../support/database/startReplicatedPostgres.ts";
import { replayOutbox } from "../../support/indexer/replayOutbox.ts";
import type { TestToken } from "../../support/indexer/testChain.ts";
import { until } from "../../support/indexer/testDeps.ts";
import { useIndexerFixture } from "../../support/indexer/useIndexerFixture.ts";
import { pauseClient } from "../../support/pauseClient.ts";

const fixture = useIndexerFixture();
const { openDeps, start, untilCaughtUp, untilIndexed, expectIndexEqualsChain, runSampleActivity } = fixture;

/** Reads of the index by the API of another process, repeated until `stop`; each answer must be 200. */
async function startReaders(deps: Deps, { token }: TestToken) {
  const manifest: ManifestState = {
    manifest: fixture.chain().manifest,
    sha256: "ab".repeat(32),
    verified: true,
    verifiedAtBlock: 1n,
    reason: null,
    disabledGasTokens: new Set(),
  };
  Object.assign(deps.chain, { client: fixture.chain().client, manifestState: () => manifest });
  const { app } = await buildTestApp(deps);
  onTestFinished(() => app.close());
  const causes = new Map<string, unknown>();
  app.addHook("onError", async ({ url }, _reply, error) => void causes.set(url, error));
  const trader = fixture.chain().accounts[1]!.address;
  const paths = ["/tokens", "/analytics", `/tokens/${token}`, `/tokens/${token}/trades`, `/wallets/${trader}`];
  const counts = new Map(paths.map((path) => [path, 0]));
  const problems: string[] = [];
  let isStopped = false;
  const get = async (path: string) => await app.inject({ method: "GET", url: `/api/v1/launchpad${path}` });
  const read = async (path: string) => {
    while (!isStopped) {
      const { statusCode, body } = await get(path);
      if (statusCode === 200) counts.set(path, counts.get(path)! + 1);
      else problems.push(`${path}: ${statusCode} ${body} ${inspect(causes.get(`/api/v1/launchpad${path}`))}`);
      await pauseClient();
    }
  };
  const running = paths.map(read);
  onTestFinished(() => {
    isStopped = true;
  });
  return {
    /** Waits until this many more reads of each path were answered. */
    untilAnswered: async (count: number) => {
      const before = new Map(counts);
      await until(() => paths.every((path) => counts.get(path)! >= before.get(path)! + count));
    },
    stop: async () => {
      isStopped = true;
      await Promise.all(running);
      return { problems, answers: [...counts.values()].reduce((sum, count) => sum + count, 0) };
    },
  };
}

/** Starts the indexer in a process of its own. */
function startProcess(deps: Deps) {
  const manifestPath = join(fixture.folder.path, "manifest.json");
  writeFileSync(manifestPath, JSON.stringify(fixture.chain().manifest));
  const program = fileURLToPath(new URL("../../support/indexer/indexerProcess.ts", import.meta.url));
  const args = [program, deps.config.DATABASE_URL, fixture.chain().chain.rpcUrl, manifestPath];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const kill = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  onTestFinished(kill);
  return { kill };
}

const one = async (deps: Deps, sql: string) => (await deps.db.api.query<{ value: unknown }>(sql)).rows[0]?.value;
const isReplaced = async (deps: Deps) => (await one(deps, "select sources as value from chain.checkpoint")) !== "older";
/** The last block of the next index; null before it has one. */
const readCopyBlock = async (deps: Deps) =>
  await one(deps, "select block_number as value from chain_next.checkpoint").catch(() => null);
/** Waits until the next index is at the block of the current one. */
const untilCopied = async (deps: Deps) =>
  await until(async () => {
    const block = await one(deps, "select block_number as value from chain.checkpoint");
    return (await readCopyBlock(deps)) === block;
  });
/** Waits until the current index is the one that was built, and nothing of the earlier one remains. */
const untilReplaced = async (deps: Deps) =>
  await until(async () => {
    const schemas = await one(
      deps,
      "select array_agg(nspname::text) as value from pg_namespace where nspname ~ '^chain'",
    );
    return ((await isReplaced(deps)) && String(schemas) === "chain") || String(schemas);
  });

const waitingForTables = `select count(*)::int as value from pg_locks l join pg_database d on d.oid = l.database
   where not granted and mode = 'AccessExclusiveLock' and datname = current_database()`;

/** Makes the stored index one of older rules: its trades have another amount and maker. */
async function makeOlder(deps: Deps): Promise<void> {
  await deps.db.indexer.query("update chain.trades set quote_amount = quote_amount + 1, maker_id = 1");
  await deps.db.indexer.query("update chain.checkpoint set sources = 'older'");
}

/** A reader whose transaction does not end: the next index cannot replace the tables that it has read. */
async function startLongReader(connectionString: string) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query("begin");
  await client.query("select count(*) from chain.tokens");
  return { end: () => client.query("rollback") };
}

/** Indexes a chain with trades, and makes the index an older one. */
async function openOlderIndex(databaseUrl?: string) {
  const deps = await openDeps(databaseUrl === undefined ? {} : { databaseUrl });
  const indexer = start(deps);
  const launched = await runSampleActivity();
  await untilCaughtUp(indexer);
  await indexer.stop();
  await makeOlder(deps);
  return { deps, launched };
}

test("C2-74 reads are answered while another index is built, and then all rows are those of the chain", async () => {
  const { deps, launched } = await openOlderIndex();
  const chain = fixture.chain();
  const cursor = await one(deps, "select max(id)::int as value from chain.outbox");
  const env = { ...unlimited, READ_CACHE_BYTES: "0" };
  const readers = await startReaders(await openDeps({ databaseUrl: deps.config.DATABASE_URL, env }), launched);
  const reader = await startLongReader(deps.config.DATABASE_URL);
  const indexer = start(deps);
  await untilCopied(deps);
  // The older index follows the chain meanwhile.
  await chain.buy(1, launched.token, "0.1");
  await untilCaughtUp(indexer);
  expect(await isReplaced(deps)).toBe(false);

  await reader.end();
  await untilReplaced(deps);
  await chain.buy(2, launched.token, "0.1");
  await untilCaughtUp(indexer);
  const { problems, answers } = await readers.stop();
  expect(problems).toEqual([]);
  expect(answers).toBeGreaterThan(100);
  await expectIndexEqualsChain(deps);
  // Streams receive each trade once, and a message that all data may have changed.
  expect(await replayOutbox(deps)).toBe(0);
  const messages = `select array_agg(kind order by id) as value from chain.outbox
    where id > ${cursor} and kind in ('trade', 'batch')`;
  expect(await one(deps, messages)).toEqual(["trade", "batch", "trade"]);
});

test("C2-74 reads at a replica are answered while an index is replaced, also if its replay waits for a backup", async () => {
  const servers = await startReplicatedPostgres();
  onTestFinished(() => servers.stop());
  const { deps, launched } = await openOlderIndex(servers.urls.primary);
  const env = { ...unlimited, READ_CACHE_BYTES: "0", DATABASE_READ_URL: servers.urls.replica };
  const reading = await openDeps({ databaseUrl: servers.urls.primary, env });
  const usesReplica = () => reading.db.replica!.status().readsFrom === "replica";
  const readers = await startReaders(reading, launched);
  await until(usesReplica);
  const backup = await startLongReader(servers.urls.replica);
  const replica = openDatabase({ ...deps.config, DATABASE_URL: servers.urls.replica }, deps.log);
  onTestFinished(() => replica.close());
  // Reads at the replica wait behind its replay of this lock.
  await deps.db.indexer.query("begin; lock table chain.tokens in access exclusive mode; commit");
  await until(async () => (await replica.indexer.query(waitingForTables)).rows[0].value > 0);
  await readers.untilAnswered(10);
  const indexer = start(deps);
  // The primary does not wait for the readers of a replica.
  await untilReplaced(deps);
  await fixture.chain().buy(1, launched.token, "0.1");
  await untilCaughtUp(indexer);
  await expectIndexEqualsChain(deps);
  expect(usesReplica()).toBe(false);
  await readers.untilAnswered(10);

  await backup.end();
  await until(usesReplica);
  const { problems, answers } = await readers.stop();
  expect(problems).toEqual([]);
  expect(answers).toBeGreaterThan(100);
  await expectIndexEqualsChain({ ...deps, db: replica });
});

test("C2-75 a process that is killed while it builds or replaces the index loses and doubles nothing", async () => {
  const { deps, launched } = await openOlderIndex();
  const chain = fixture.chain();
  const reader = await startLongReader(deps.config.DATABASE_URL);
  for (const isDue of [
    async () => (await readCopyBlock(deps)) !== null,
    async () => Number((await readCopyBlock(deps)) ?? 0) > 3,
    // It waits for the tables.
    async () => Number(await one(deps, waitingForTables)) > 0,
  ]) {
    const { kill } = startProcess(deps);
    await until(isDue);
    await kill();
    await chain.buy(1, launched.token, "0.05");
  }
  await reader.end();
  const last = startProcess(deps);
  // Killed at a random moment of the switch, which is one transaction.
  await until(async () => await isReplaced(deps));
  await last.kill();
  const indexer = start(deps);
  await untilCaughtUp(indexer);
  await untilReplaced(deps);
  await expectIndexEqualsChain(deps);
  expect(await replayOutbox(deps)).toBe(0);
});

test("C2-77 a reorganisation during a rebuild is undone in both indexes, and is published once", async () => {
  const { deps, launched } = await openOlderIndex();
  const chain = fixture.chain();
  const reader = await startLongReader(deps.config.DATABASE_URL);
  const indexer = start(deps);
  for (const ether of ["0.1", "0.2", "0.3"]) await chain.buy(1, launched.token, ether);
  await untilCaughtUp(indexer);
  await untilCopied(deps);
  await chain.reorg(2);
  await chain.mine(1);
  await chain.buy(2, launched.token, "0.4");
  await untilIndexed(deps);
  await untilCopied(deps);
  expect(await isReplaced(deps)).toBe(false);
  await reader.end();
  await untilReplaced(deps);
  await chain.reorg(1);
  await chain.buy(2, launched.token, "0.1");
  await untilCaughtUp(indexer);
  await expectIndexEqualsChain(deps);
  // Batches are undone as a whole: their other trades are also retracted, and published again.
  expect(await replayOutbox(deps)).toBeGreaterThanOrEqual(3);
});

test("a rebuild has the trades that were moved to the history engine, which then copies the new index", async () => {
  const { deps } = await openOlderIndex();
  // As npm run history -- detach.
  await deps.db.indexer.query(
    `insert into chain.history (generation, copied_block, copied_time, detached_block, detached_time)
     select '00112233aabb', max(block_number), max(block_time) + 86400, max(block_number), max(block_time) from chain.trades`,
  );
  await deps.db.indexer.query("delete from chain.trades");
  const indexer = start(deps);
  await untilReplaced(deps);
  await untilCaughtUp(indexer);
  await expectIndexEqualsChain(deps);
  // The job of the engine begins with tables of its own for the new index.
  expect(await one(deps, "select count(*)::int as value from chain.history")).toBe(0);
});

test("a version with the rules of the stored index drops what a rebuild left", async () => {
  const { deps } = await openOlderIndex();
  await startLongReader(deps.config.DATABASE_URL);
  const sources = await one(deps, "select sources as value from chain.checkpoint");
  const first = start(deps);
  await untilCopied(deps);
  await first.stop();
  const fingerprint = await one(deps, "select sources as value from chain_next.checkpoint");
  expect(sources).toBe("older");
  await deps.db.indexer.query("update chain.checkpoint set sources = $1", [fingerprint]);
  await untilCaughtUp(start(deps));
  await untilReplaced(deps);
});
