import { expect, onTestFinished, test } from "vitest";
import { startCommitCutter } from "../../support/indexer/commitCutter.ts";
import { replayOutbox } from "../../support/indexer/replayOutbox.ts";
import { until } from "../../support/indexer/testDeps.ts";
import { useIndexerWorld } from "../../support/indexer/useIndexerWorld.ts";

const world = useIndexerWorld();
const { openDeps, start, expectIndexEqualsChain, liveALittle } = world;

test("C2-07 a connection that dies during COMMIT: the checkpoint decides, nothing is lost or applied twice", async () => {
  const chain = world.chain();
  const databaseUrl = await world.createDatabase();
  const cutter = await startCommitCutter(databaseUrl);
  const deps = await openDeps({ databaseUrl, env: { DATABASE_INDEXER_URL: cutter.url } });
  onTestFinished(() => cutter.stop());
  start(deps);
  const { token } = await liveALittle();
  await chain.buy(1, token, "0.01");
  await until(async () => {
    await chain.mine(1);
    await world.reached(deps);
    return (cutter.cuts.before >= 2 && cutter.cuts.after >= 2) || JSON.stringify(cutter.cuts);
  });
  // Undoing is a commit too.
  await chain.buy(1, token, "0.01");
  await world.reached(deps);
  await chain.reorg(1);
  await world.reached(deps);
  await chain.buy(1, token, "0.02");
  await world.reached(deps);
  cutter.rest();
  await expectIndexEqualsChain(deps);
  expect(await replayOutbox(deps)).toBeGreaterThanOrEqual(1);
});
