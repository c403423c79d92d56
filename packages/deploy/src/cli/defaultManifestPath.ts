import { relative } from "node:path";
import { fileURLToPath } from "node:url";

/** Where a chain's manifest lies in this repository, relative to the working directory. */
export function defaultManifestPath(chainId: number): string {
  const url = new URL(`../../../../contracts/deployments/${chainId}.json`, import.meta.url);
  return relative(process.cwd(), fileURLToPath(url));
}
