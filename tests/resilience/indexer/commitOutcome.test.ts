import { expect, onTestFinished, test } from "vitest";
import { startCommitSeveringProxy } from "../../support/indexer/commitSeveringProxy.ts";
import { replayOutbox } from "../../support/indexer/replayOutbox.ts";
import { until } from "../../support/indexer/testDeps.ts";
import { useIndexerFixture } from "../../support/indexer/useIndexerFixture.ts";

const fixture = useIndexerFixture();
const { openDeps, start, expectIndexEqualsChain, runSampleActivity } = fixture;

test("C2-07 after a connection breaks during COMMIT the checkpoint decides: nothing is lost or applied twice", async () => {
  const chain = fixture.chain();
  const databaseUrl = await fixture.createDatabase();
  const proxy = await startCommitSeveringProxy(databaseUrl);
  const deps = await openDeps({ databaseUrl, env: { DATABASE_INDEXER_URL: proxy.url } });
  onTestFinished(() => proxy.stop());
  start(deps);
  const { token } = await runSampleActivity();
  await chain.buy(1, token, "0.01");
  await until(async () => {
    await chain.mine(1);
    await fixture.untilIndexed(deps);
    return (proxy.severed.before >= 2 && proxy.severed.after >= 2) || JSON.stringify(proxy.severed);
  });
  // An undo also commits.
  await chain.buy(1, token, "0.01");
  await fixture.untilIndexed(deps);
  await chain.reorg(1);
  await fixture.untilIndexed(deps);
  await chain.buy(1, token, "0.02");
  await fixture.untilIndexed(deps);
  proxy.stopSevering();
  await expectIndexEqualsChain(deps);
  expect(await replayOutbox(deps)).toBeGreaterThanOrEqual(1);
});
