import type { Deps } from "@slipway/server/deps";
import { expect, onTestFinished } from "vitest";
import { buildTestApp } from "../buildTestApp.ts";
import { createRandom } from "../simulation/random.ts";
import { simulatedManifest } from "../simulation/simulatedManifest.ts";
import { createSimulatedNodes, noFaults } from "../simulation/simulatedNode.ts";
import type { createHandmadeChain } from "./handmadeChain.ts";
import { indexSimulatedChain } from "./indexSimulatedChain.ts";

/** Indexes a chain, checks every table, and returns a function that reads from the API over the index. */
export async function serveHandmadeChain({ chain }: Pick<ReturnType<typeof createHandmadeChain>, "chain">) {
  const nodes = createSimulatedNodes(
    chain,
    1,
    createRandom(1),
    () => noFaults,
    () => [],
  );
  const deps = await indexSimulatedChain(chain, nodes);
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
