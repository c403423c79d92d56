import { verifyDeployment } from "@slipway/deploy/verifyDeployment";
import type { Manifest } from "@slipway/protocol/manifest";
import type { RpcRequest } from "./chain.ts";
import type { ChainProof } from "./manifestWatch.ts";

/**
 * Proves the chain against the manifest.
 *
 * @throws when the chain does not answer: then nothing is proven either way.
 */
export async function proveDeployment(request: RpcRequest, manifest: Manifest): Promise<ChainProof> {
  const { checks, blockNumber, failedGasTokens } = await verifyDeployment({ request: request as never }, manifest);
  const failed = checks.filter(({ ok, scope }) => !ok && scope === "core");
  return {
    blockNumber,
    problems: failed.map(({ name, expected, actual }) => `${name} is ${actual}, not ${expected}`),
    disabledGasTokens: new Set(failedGasTokens.map((address) => address.toLowerCase())),
  };
}
