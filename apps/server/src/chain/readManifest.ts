import { readFile } from "node:fs/promises";
import { readManifest as readManifestBytes } from "@slipway/deploy/readManifest";
import type { LaunchDeployment, Manifest } from "@slipway/protocol/manifest";
import { checksummed } from "@slipway/protocol/primitives";

/** The manifest file; `manifest` is null when it is missing or invalid. */
export type ManifestFile = {
  manifest: Manifest | null;
  /** Of the file's bytes, lower-case hex; null when the file is not readable. */
  sha256: string | null;
  pinned: boolean;
  /** For an operator: why it is not pinned; null when it is. */
  reason: string | null;
};

/**
 * Reads the manifest and compares its SHA-256 with the operator's pin. Never throws: a missing or invalid manifest
 * disables the transaction endpoints, not the service.
 */
export async function readManifest(path: string | undefined, pin: string | undefined): Promise<ManifestFile> {
  const none = (reason: string): ManifestFile => ({ manifest: null, sha256: null, pinned: false, reason });
  if (path === undefined) return none("MANIFEST_PATH is not set");
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    return none(`the manifest cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown error"})`);
  }
  try {
    const { manifest: parsed, sha256 } = readManifestBytes(bytes);
    const manifest = checksumAddresses(parsed);
    if (pin === undefined) return { manifest, sha256, pinned: false, reason: "MANIFEST_SHA256 is not set" };
    if (pin.toLowerCase().replace(/^0x/, "") === sha256) return { manifest, sha256, pinned: true, reason: null };
    return { manifest, sha256, pinned: false, reason: `the manifest's SHA-256 is ${sha256}, not MANIFEST_SHA256` };
  } catch (error) {
    return none((error as Error).message);
  }
}

/** Checksums every address: an operator may write them in any case, the wire format is EIP-55. */
function checksumAddresses(manifest: Manifest): Manifest {
  return JSON.parse(JSON.stringify(manifest), (_key, value: unknown) =>
    typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value) ? checksummed(value) : value,
  ) as Manifest;
}

/** Lists the deployments of a manifest, the current one first. */
export function listDeployments(manifest: Manifest): readonly LaunchDeployment[] {
  return [manifest.current, ...manifest.history];
}
