import { sqrtPriceX96AtTick } from "@slipway/protocol/poolMath";
import type { RpcTransport } from "@slipway/server/chain/rpcTransport";
import type { Deps } from "@slipway/server/deps";
import { startIndexer } from "@slipway/server/indexer/startIndexer";
import { expect, onTestFinished } from "vitest";
import { dumpIndex } from "../simulation/dumpIndex.ts";
import { referenceIndex } from "../simulation/reference.ts";
import type { SimulatedChain } from "../simulation/simulatedChain.ts";
import { simulatedManifest } from "../simulation/simulatedManifest.ts";
import { differences } from "../simulation/tables.ts";
import { openIndexDatabase } from "./openIndexDatabase.ts";
import { createTestDeps, until } from "./testDeps.ts";

/**
 * Indexes a simulated chain up to its head in a new database, and checks every table. The index ends with the test.
 *
 * @param nodes - Answers the indexer's requests to the chain.
 */
export async function indexSimulatedChain(
  chain: SimulatedChain,
  nodes: RpcTransport,
  env: Record<string, string> = {},
): Promise<Deps> {
  const databaseUrl = await openIndexDatabase();
  const deps = await createTestDeps({ databaseUrl, rpcUrl: "http://simulated", env, transport: () => nodes });
  onTestFinished(() => deps.db.close());
  const indexer = startIndexer(deps, simulatedManifest);
  onTestFinished(() => indexer.stop());
  await until(() => indexer.status().indexedBlock === chain.head().number || JSON.stringify(indexer.status()));
  const expected = referenceIndex(simulatedManifest, chain.blocks, sqrtPriceX96AtTick);
  expect(differences(expected, await dumpIndex(deps.db.indexer))).toEqual([]);
  return deps;
}
