import type { Manifest } from "@slipway/protocol/manifest";
import { buildManifest, type ManifestInput } from "./buildManifest.ts";
import { DeployError } from "./deployError.ts";
import type { RpcClient } from "./rpcRequest.ts";
import { verifyDeployment } from "./verifyDeployment.ts";
import { writeManifest } from "./writeManifest.ts";

/**
 * Ends a deployment: builds its manifest, proves the chain against it, and only then writes the file.
 *
 * @throws DeployError `deployment_unproven`, and those of `buildManifest` and `verifyDeployment`.
 */
export async function finishDeployment(
  client: RpcClient,
  path: string,
  input: ManifestInput,
): Promise<{ manifest: Manifest; sha256: string }> {
  const manifest = await buildManifest(client, input);
  const { checks } = await verifyDeployment(client, manifest);
  const failed = checks.filter((check) => !check.ok);
  if (failed.length > 0) {
    const lines = failed.map(({ name, expected, actual }) => `${name}: expected ${expected}, is ${actual}`);
    throw new DeployError("deployment_unproven", lines.join("\n"));
  }
  return { manifest, sha256: writeManifest(path, manifest) };
}
