import { sqrtPriceX96AtTick } from "@slipway/protocol/poolMath";
import type { Deps } from "@slipway/server/deps";
import { startIndexer } from "@slipway/server/indexer/startIndexer";
import { expect, onTestFinished } from "vitest";
import { buildTestApp } from "../buildTestApp.ts";
import { dumpIndex } from "../simulation/dumpIndex.ts";
import { createRandom } from "../simulation/random.ts";
import { referenceIndex } from "../simulation/reference.ts";
import { simulatedManifest } from "../simulation/simulatedManifest.ts";
import { createSimulatedNodes, noFaults } from "../simulation/simulatedNode.ts";
import { differences } from "../simulation/tables.ts";
import type { createHandmadeChain } from "./handmadeChain.ts";
import { openIndexDatabase } from "./openIndexDatabase.ts";
import { createTestDeps, until } from "./testDeps.ts";

/** Indexes a chain, checks every table, and returns a function that reads from the API over the index. */
export async function serveHandmadeChain({ chain }: Pick<ReturnType<typeof createHandmadeChain>, "chain">) {
  const nodes = createSimulatedNodes(
    chain,
    1,
    createRandom(1),
    () => noFaults,
    () => [],
  );
  const databaseUrl = await openIndexDatabase();
  const deps = await createTestDeps({ databaseUrl, rpcUrl: "http://simulated", transport: () => nodes });
  onTestFinished(() => deps.db.close());
  const indexer = startIndexer(deps, simulatedManifest);
  onTestFinished(() => indexer.stop());
  await until(() => indexer.status().indexedBlock === chain.head().number || JSON.stringify(indexer.status()));
  const expected = referenceIndex(simulatedManifest, chain.blocks, sqrtPriceX96AtTick);
  expect(differences(expected, await dumpIndex(deps.db.indexer))).toEqual([]);
  const manifestState = () => ({
    manifest: simulatedManifest,
    sha256: "ab".repeat(32),
    verified: true,
    verifiedAtBlock: 7n,
    reason: null,
    disabledGasTokens: new Set<string>(),
  });
  const { app } = await buildTestApp({
    ...deps,
    chain: { ...deps.chain, manifestState } as unknown as Deps["chain"],
  });
  onTestFinished(() => app.close());
  return async (path: string) => {
    const answer = await app.inject({ method: "GET", url: `/api/v1/launchpad${path}` });
    expect(answer.statusCode, `${path}: ${answer.body}`).toBe(200);
    return answer.json();
  };
}
