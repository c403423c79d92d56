import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { dumpIndex } from "../../support/simulation/dumpIndex.ts";
import { differences } from "../../support/simulation/tables.ts";
import { until } from "../../support/indexer/testDeps.ts";
import { useIndexerWorld } from "../../support/indexer/useIndexerWorld.ts";

const world = useIndexerWorld();
const { openDeps, start, caughtUp, expectIndexEqualsChain, liveALittle } = world;

test("indexes the real contracts to what the chain's own logs say", async () => {
  const deps = await openDeps();
  const indexer = start(deps);
  await caughtUp(indexer);
  await liveALittle();
  await caughtUp(indexer);
  await expectIndexEqualsChain(deps);
  // C2-14: NUL cannot be stored, and a direction mark would rearrange what stands around the name.
  const { rows } = await deps.db.indexer.query("select name from chain.tokens order by id");
  expect(rows[0].name).toBe("Alpha ");
});

test("C2-20 backfills from nothing to the same rows as live", async () => {
  const chain = world.chain();
  const live = await openDeps();
  const following = start(live);
  await caughtUp(following);
  await liveALittle();
  await chain.test.increaseTime({ seconds: 600 });
  const token = await liveALittle();
  await chain.test.increaseTime({ seconds: 600 });
  await chain.mine(250);
  await chain.buy(1, token.token, "0.1");
  await caughtUp(following);
  const late = await openDeps({ env: { REORG_WINDOW_SECONDS: "10" } });
  await caughtUp(start(late));
  await expectIndexEqualsChain(live);
  await expectIndexEqualsChain(late);
  const { rows } = await late.db.indexer.query("select count(*)::int as n from chain.outbox where kind = 'batch'");
  expect(rows[0].n).toBeGreaterThan(1);
});

test("C2-01 C2-16 follows a reorganisation that drops trades, and tells what was retracted", async () => {
  const chain = world.chain();
  const deps = await openDeps();
  const indexer = start(deps);
  const token = await liveALittle();
  await caughtUp(indexer);
  await chain.test.increaseTime({ seconds: 120 });
  await chain.buy(1, token.token, "0.3");
  await caughtUp(indexer);
  await chain.reorg(1);
  await chain.mine(1);
  await caughtUp(indexer);
  await until(async () => {
    const { rows } = await deps.db.indexer.query("select payload from chain.outbox where kind = 'retracted'");
    return rows.length > 0 && rows.flatMap((row) => row.payload.trades).length > 0;
  });
  await caughtUp(indexer);
  await expectIndexEqualsChain(deps);
});

test("C2-03 forgets a launch that is reorganised away", async () => {
  const chain = world.chain();
  const deps = await openDeps();
  const indexer = start(deps);
  const splitter = await chain.splitter([chain.accounts[0]!.address], [10000]);
  await chain.mine(2);
  await caughtUp(indexer);
  const { token } = await chain.launch("Gone", "GON", splitter, { buyInWei: 10n ** 16n });
  await chain.buy(2, token, "0.1");
  await caughtUp(indexer);
  await chain.reorg(3);
  await chain.mine(2);
  await until(async () => (await deps.db.indexer.query("select 1 from chain.tokens")).rowCount === 0);
  await caughtUp(indexer);
  await expectIndexEqualsChain(deps);
});

test("C2-04 notices a head of equal height and another hash", async () => {
  const chain = world.chain();
  const deps = await openDeps();
  const indexer = start(deps);
  await chain.mine(5);
  await caughtUp(indexer);
  await chain.reorg(2);
  const head = await chain.client.getBlock();
  await until(async () => {
    const { rows } = await deps.db.indexer.query("select block_hash from chain.checkpoint");
    return rows[0].block_hash === head.hash;
  });
  await expectIndexEqualsChain(deps);
});

test("follows a local chain that comes back behind the index and mines other blocks", async () => {
  const chain = world.chain();
  const deps = await openDeps();
  const indexer = start(deps);
  await liveALittle();
  await caughtUp(indexer);
  const before = (await chain.test.snapshot()) as `0x${string}`;
  const kept = await chain.head();
  await liveALittle();
  await caughtUp(indexer);
  await chain.test.revert({ id: before });
  await chain.test.increaseTime({ seconds: 7 });
  await chain.mine(1);
  await until(() => indexer.status().indexedBlock === kept + 1);
  await caughtUp(indexer);
  await expectIndexEqualsChain(deps);
});

test("C2-02 halts on a reorganisation deeper than the window and writes nothing", async () => {
  const chain = world.chain();
  const deps = await openDeps({ env: { REORG_WINDOW_SECONDS: "1" } });
  const indexer = start(deps);
  await chain.mine(3);
  await caughtUp(indexer);
  const fork = (await chain.test.snapshot()) as `0x${string}`;
  await chain.test.increaseTime({ seconds: 100 });
  await liveALittle();
  // What is older than the window ends with a batch: there is nothing below it to go back to.
  await caughtUp(indexer);
  await chain.test.increaseTime({ seconds: 100 });
  // The window holds 64 blocks at the least.
  await chain.mine(70);
  await caughtUp(indexer);
  const before = await dumpIndex(deps.db.indexer);
  await chain.test.revert({ id: fork });
  await chain.test.increaseTime({ seconds: 500 });
  await chain.mine(140);
  await until(() => indexer.status().state === "halted" || JSON.stringify(indexer.status()));
  expect(indexer.status().reason).toContain("reorg window");
  expect(differences(before, await dumpIndex(deps.db.indexer))).toEqual([]);
  const { rows } = await deps.db.indexer.query("select state, reason from chain.status");
  expect(rows[0].state).toBe("halted");
});

test("C2-18 lets one of two indexers write, and the other take over", async () => {
  const first = await openDeps();
  const second = await openDeps({ databaseUrl: first.config.DATABASE_URL });
  const leader = start(first);
  await caughtUp(leader);
  const standby = start(second);
  await until(() => standby.status().state === "standby");
  await liveALittle();
  await caughtUp(leader);
  await leader.stop();
  await liveALittle();
  await caughtUp(standby);
  await expectIndexEqualsChain(second);
});

test("C2-18 refuses the commit of a leader whose lock was taken from it", async () => {
  const chain = world.chain();
  const deps = await openDeps();
  const indexer = start(deps);
  await caughtUp(indexer);
  await deps.db.api.query("update chain.checkpoint set fence = fence + 1");
  await chain.mine(1);
  await until(async () => {
    const { rows } = await deps.db.api.query("select block_number from chain.checkpoint");
    return rows[0].block_number === (await chain.head());
  });
  const { rows } = await deps.db.api.query("select fence from chain.checkpoint");
  expect(rows[0].fence).toBeGreaterThanOrEqual(3);
});

test("C3-03 goes on alone after the database has ended its connections", async () => {
  const chain = world.chain();
  const deps = await openDeps();
  const indexer = start(deps);
  await caughtUp(indexer);
  for (let i = 0; i < 3; i++) {
    await liveALittle();
    await deps.db.api.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'slipway-indexer' and datname = current_database()",
    );
  }
  await until(async () => {
    const { rows } = await deps.db.api.query("select block_number from chain.checkpoint");
    return rows[0].block_number === (await chain.head());
  });
  await caughtUp(indexer);
  await expectIndexEqualsChain(deps);
});

test("C2-06 killed with SIGKILL again and again, it loses and doubles nothing", async () => {
  const chain = world.chain();
  const deps = await openDeps();
  const script = fileURLToPath(new URL("../../support/indexer/indexerProcess.ts", import.meta.url));
  const args = [script, deps.config.DATABASE_URL, chain.chain.rpcUrl, `${world.folder.path}/manifest.json`];
  for (let round = 0; round < 6; round++) {
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
    await once(child.stdout, "data");
    // Killed while it catches up or follows, a little later each time.
    const living = round % 2 === 0 ? liveALittle() : undefined;
    await new Promise((resolve) => setTimeout(resolve, 25 * round));
    child.kill("SIGKILL");
    await once(child, "exit");
    await living;
  }
  await caughtUp(start(deps));
  await expectIndexEqualsChain(deps);
});

test("follows new heads by subscription, without a poll", async () => {
  const chain = world.chain();
  const deps = await openDeps({ env: { RPC_WS_URL: chain.chain.wsUrl, POLL_INTERVAL_MS: "60000" } });
  const indexer = start(deps);
  await caughtUp(indexer);
  // Twenty polls would take twenty minutes, which is beyond the test's time.
  for (let i = 0; i < 20; i++) {
    await chain.mine(1);
    await caughtUp(indexer);
  }
});

test("C2-10 refuses an endpoint of another chain", async () => {
  const deps = await openDeps({
    transport: (through) => async (endpoint, body, signal) =>
      body.includes("eth_chainId")
        ? JSON.stringify({ id: JSON.parse(body).id, result: "0x1" })
        : await through(endpoint, body, signal),
  });
  const indexer = start(deps);
  await until(() => indexer.status().state === "halted" || JSON.stringify(indexer.status()));
  expect(indexer.status().reason).toContain("serves chain 1");
});

test("C2-13 counts no swap of a pool that is not a launch's (look-alikes: tests/simulation)", async () => {
  const chain = world.chain();
  const deps = await openDeps();
  const indexer = start(deps);
  const splitter = await chain.splitter([chain.accounts[0]!.address], [10000]);
  const { token } = await chain.launch("Real", "REAL", splitter);
  // The ETH/USD pool swaps with the same topics.
  await chain.buyDollars(2, "0.1");
  await chain.buy(2, token, "0.01");
  await caughtUp(indexer);
  const { rows } = await deps.db.indexer.query("select count(*)::int as n from chain.trades");
  expect(rows[0].n).toBe(1);
  await expectIndexEqualsChain(deps);
});
