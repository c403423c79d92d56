import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { until } from "../../support/indexer/testDeps.ts";
import { useIndexerFixture } from "../../support/indexer/useIndexerFixture.ts";
import { dumpIndex } from "../../support/simulation/dumpIndex.ts";
import { differences } from "../../support/simulation/tables.ts";

const fixture = useIndexerFixture();
const { openDeps, start, untilCaughtUp, expectIndexEqualsChain, runSampleActivity } = fixture;

test("the index of the real contracts equals the reference over the chain's own logs", async () => {
  const deps = await openDeps();
  const indexer = start(deps);
  await untilCaughtUp(indexer);
  await runSampleActivity();
  await untilCaughtUp(indexer);
  await expectIndexEqualsChain(deps);
  // C2-14: NUL cannot be stored, and a direction mark would reorder the text around the name.
  const { rows } = await deps.db.indexer.query("select name from chain.tokens order by id");
  expect(rows[0].name).toBe("Alpha ");
});

test("C2-20 a backfill from the first block gives the same rows as following live", async () => {
  const chain = fixture.chain();
  const live = await openDeps();
  const following = start(live);
  await untilCaughtUp(following);
  await runSampleActivity();
  await chain.test.increaseTime({ seconds: 600 });
  const token = await runSampleActivity();
  await chain.test.increaseTime({ seconds: 600 });
  await chain.mine(250);
  await chain.buy(1, token.token, "0.1");
  await untilCaughtUp(following);
  const late = await openDeps({ env: { REORG_WINDOW_SECONDS: "10" } });
  await untilCaughtUp(start(late));
  await expectIndexEqualsChain(live);
  await expectIndexEqualsChain(late);
  const { rows } = await late.db.indexer.query("select count(*)::int as n from chain.outbox where kind = 'batch'");
  expect(rows[0].n).toBeGreaterThan(1);
});

test("C2-01 C2-16 a reorganisation that drops trades is followed, and the retraction is published", async () => {
  const chain = fixture.chain();
  const deps = await openDeps();
  const indexer = start(deps);
  const token = await runSampleActivity();
  await untilCaughtUp(indexer);
  await chain.test.increaseTime({ seconds: 120 });
  await chain.buy(1, token.token, "0.3");
  await untilCaughtUp(indexer);
  await chain.reorg(1);
  await chain.mine(1);
  await untilCaughtUp(indexer);
  await until(async () => {
    const { rows } = await deps.db.indexer.query("select payload from chain.outbox where kind = 'retracted'");
    return rows.length > 0 && rows.flatMap((row) => row.payload.trades).length > 0;
  });
  await untilCaughtUp(indexer);
  await expectIndexEqualsChain(deps);
});

test("C2-03 a launch that a reorganisation drops is removed from the index", async () => {
  const chain = fixture.chain();
  const deps = await openDeps();
  const indexer = start(deps);
  const splitter = await chain.splitter([chain.accounts[0]!.address], [10000]);
  await chain.mine(2);
  await untilCaughtUp(indexer);
  const { token } = await chain.launch("Gone", "GON", splitter, { buyInWei: 10n ** 16n });
  await chain.buy(2, token, "0.1");
  await untilCaughtUp(indexer);
  await chain.reorg(3);
  await chain.mine(2);
  await until(async () => (await deps.db.indexer.query("select 1 from chain.tokens")).rowCount === 0);
  await untilCaughtUp(indexer);
  await expectIndexEqualsChain(deps);
});

test("C2-04 a head of equal height with another hash is detected", async () => {
  const chain = fixture.chain();
  const deps = await openDeps();
  const indexer = start(deps);
  await chain.mine(5);
  await untilCaughtUp(indexer);
  await chain.reorg(2);
  const head = await chain.client.getBlock();
  await until(async () => {
    const { rows } = await deps.db.indexer.query("select block_hash from chain.checkpoint");
    return rows[0].block_hash === head.hash;
  });
  await expectIndexEqualsChain(deps);
});

test("a local chain that is reverted below the index and mines other blocks is followed", async () => {
  const chain = fixture.chain();
  const deps = await openDeps();
  const indexer = start(deps);
  await runSampleActivity();
  await untilCaughtUp(indexer);
  const before = (await chain.test.snapshot()) as `0x${string}`;
  const revertedTo = await chain.head();
  await runSampleActivity();
  await untilCaughtUp(indexer);
  await chain.test.revert({ id: before });
  await chain.test.increaseTime({ seconds: 7 });
  await chain.mine(1);
  await until(() => indexer.status().indexedBlock === revertedTo + 1);
  await untilCaughtUp(indexer);
  await expectIndexEqualsChain(deps);
});

test("C2-02 the indexer halts on a reorganisation deeper than the window and writes nothing", async () => {
  const chain = fixture.chain();
  const deps = await openDeps({ env: { REORG_WINDOW_SECONDS: "1" } });
  const indexer = start(deps);
  await chain.mine(3);
  await untilCaughtUp(indexer);
  const fork = (await chain.test.snapshot()) as `0x${string}`;
  await chain.test.increaseTime({ seconds: 100 });
  await runSampleActivity();
  // Blocks older than the window end with a batch: no earlier state can be restored.
  await untilCaughtUp(indexer);
  await chain.test.increaseTime({ seconds: 100 });
  // The window has at least 64 blocks.
  await chain.mine(70);
  await untilCaughtUp(indexer);
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

test("C2-18 only one of two indexers writes, and the other takes over when it stops", async () => {
  const first = await openDeps();
  const second = await openDeps({ databaseUrl: first.config.DATABASE_URL });
  const leader = start(first);
  await untilCaughtUp(leader);
  const standby = start(second);
  await until(() => standby.status().state === "standby");
  await runSampleActivity();
  await untilCaughtUp(leader);
  await leader.stop();
  await runSampleActivity();
  await untilCaughtUp(standby);
  await expectIndexEqualsChain(second);
});

test("C2-18 the commit of a leader with an outdated fencing token is refused", async () => {
  const chain = fixture.chain();
  const deps = await openDeps();
  const indexer = start(deps);
  await untilCaughtUp(indexer);
  await deps.db.api.query("update chain.checkpoint set fence = fence + 1");
  await chain.mine(1);
  await until(async () => {
    const { rows } = await deps.db.api.query("select block_number from chain.checkpoint");
    return rows[0].block_number === (await chain.head());
  });
  const { rows } = await deps.db.api.query("select fence from chain.checkpoint");
  expect(rows[0].fence).toBeGreaterThanOrEqual(3);
});

test("C3-03 the indexer resumes without intervention after the database ended its connections", async () => {
  const chain = fixture.chain();
  const deps = await openDeps();
  const indexer = start(deps);
  await untilCaughtUp(indexer);
  for (let i = 0; i < 3; i++) {
    await runSampleActivity();
    await deps.db.api.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'slipway-indexer' and datname = current_database()",
    );
  }
  await until(async () => {
    const { rows } = await deps.db.api.query("select block_number from chain.checkpoint");
    return rows[0].block_number === (await chain.head());
  });
  await untilCaughtUp(indexer);
  await expectIndexEqualsChain(deps);
});

test("C2-06 an indexer that is killed with SIGKILL repeatedly loses and duplicates nothing", async () => {
  const chain = fixture.chain();
  const deps = await openDeps();
  const script = fileURLToPath(new URL("../../support/indexer/indexerProcess.ts", import.meta.url));
  const args = [script, deps.config.DATABASE_URL, chain.chain.rpcUrl, `${fixture.folder.path}/manifest.json`];
  for (let round = 0; round < 6; round++) {
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
    await once(child.stdout, "data");
    // Kills the process while it catches up or follows, slightly later each time.
    const activity = round % 2 === 0 ? runSampleActivity() : undefined;
    await new Promise((resolve) => setTimeout(resolve, 25 * round));
    child.kill("SIGKILL");
    await once(child, "exit");
    await activity;
  }
  await untilCaughtUp(start(deps));
  await expectIndexEqualsChain(deps);
});

test("new heads are followed by subscription, without a poll", async () => {
  const chain = fixture.chain();
  const deps = await openDeps({ env: { RPC_WS_URL: chain.chain.wsUrl, POLL_INTERVAL_MS: "60000" } });
  const indexer = start(deps);
  await untilCaughtUp(indexer);
  // Twenty polls would take twenty minutes, which exceeds the test's time.
  for (let i = 0; i < 20; i++) {
    await chain.mine(1);
    await untilCaughtUp(indexer);
  }
});

test("C2-10 an endpoint of another chain is refused", async () => {
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

test("C2-13 a swap of a pool without a launch is not counted (look-alikes: tests/simulation)", async () => {
  const chain = fixture.chain();
  const deps = await openDeps();
  const indexer = start(deps);
  const splitter = await chain.splitter([chain.accounts[0]!.address], [10000]);
  const { token } = await chain.launch("Real", "REAL", splitter);
  // The ETH/USD pool emits swaps with the same topics.
  await chain.buyDollars(2, "0.1");
  await chain.buy(2, token, "0.01");
  await untilCaughtUp(indexer);
  const { rows } = await deps.db.indexer.query("select count(*)::int as n from chain.trades");
  expect(rows[0].n).toBe(1);
  await expectIndexEqualsChain(deps);
});
