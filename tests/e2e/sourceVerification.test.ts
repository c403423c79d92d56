import type { ManifestState } from "@slipway/server/chain/chain";
import type { Deps } from "@slipway/server/deps";
import { verifySources } from "@slipway/server/features/verification/verifySources";
import { expect, onTestFinished, test } from "vitest";
import { buildTestApp } from "../support/buildTestApp.ts";
import { until } from "../support/indexer/testDeps.ts";
import { useIndexerFixture } from "../support/indexer/useIndexerFixture.ts";
import { startSourcify } from "../support/verifier/startSourcify.ts";

const { openDeps, start, untilCaughtUp, runSampleActivity, chain } = useIndexerFixture();

const readRows = async (deps: Deps) =>
  (await deps.db.api.query("select contract, is_verified, reason from app.source_verifications order by 1")).rows;

test("the published standard JSON compiles to the code of every contract and token, and the API shows it", async () => {
  const { manifest } = chain();
  const sourcify = await startSourcify(chain().chain.rpcUrl, manifest.chain_id);
  const env = { VERIFIER_URL: sourcify.url, VERIFIER_POLL_MS: "10", REORG_WINDOW_SECONDS: "1" };
  const deps = await openDeps({ env });
  const state: ManifestState = {
    manifest,
    sha256: "ab".repeat(32),
    verified: true,
    verifiedAtBlock: 1n,
    reason: null,
    disabledGasTokens: new Set(),
  };
  Object.assign(deps.chain, { client: chain().client, manifestState: () => state });
  const indexer = start(deps);
  const { token } = await runSampleActivity();
  // A launch is submitted once it is final: at least 64 blocks, and older than the window.
  await untilCaughtUp(indexer);
  await chain().test.increaseTime({ seconds: 10 });
  await chain().mine(70);
  await untilCaughtUp(indexer);

  const names = [
    "FeeLocker",
    "FeeSplitter",
    "GasStation",
    "LaunchFactory",
    "LaunchToken",
    "LaunchToken",
    "Opening",
    "OpeningFactory",
    "SplitterFactory",
    "Vesting",
    "VestingFactory",
  ];

  const job = verifySources(deps);
  onTestFinished(() => job.stop());
  await until(async () => {
    // The job waits some seconds before it reads a result.
    await deps.db.api.query(
      "update app.source_verifications set next_at = now() where next_at is not null and job_id is not null",
    );
    const rows = await readRows(deps);
    return (
      (rows.length === names.length && rows.every(({ is_verified }) => is_verified !== null)) || JSON.stringify(rows)
    );
  }, 100_000);
  expect(await readRows(deps)).toEqual(names.map((contract) => ({ contract, is_verified: true, reason: null })));
  expect(sourcify.submissions()).toBe(names.length);

  const { app } = await buildTestApp(deps);
  onTestFinished(() => app.close());
  const answer = await app.inject({ method: "GET", url: `/api/v1/launchpad/tokens/${token}` });
  expect(answer.json().security.source_verified).toBe(true);
});
