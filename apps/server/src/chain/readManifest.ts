import { readFile } from "node:fs/promises";
import { readManifest as readManifestBytes } from "@slipway/deploy/readManifest";
import type { LaunchDeployment, Manifest } from "@slipway/protocol/manifest";
import { checksummed } from "@slipway/protocol/primitives";
import type { Config } from "../config.ts";

/**
 * The pinned manifest with the SHA-256 of its file in lower-case hex, or the problem for the operator (null if no
 * manifest is configured). The content of a file that is not pinned is never used or shown.
 */
export type ManifestFile =
  | { manifest: Manifest; sha256: string; problem: null }
  | { manifest: null; sha256: null; problem: string | null };

/** Reads the manifest of MANIFEST_PATH, which must have the SHA-256 that MANIFEST_SHA256 pins. Never throws. */
export async function readManifest(config: Pick<Config, "MANIFEST_PATH" | "MANIFEST_SHA256">): Promise<ManifestFile> {
  const { MANIFEST_PATH: path, MANIFEST_SHA256: pin } = config;
  const none = (problem: string | null): ManifestFile => ({ manifest: null, sha256: null, problem });
  if (path === undefined) {
    return none(pin === undefined ? null : "MANIFEST_PATH: is not set, but MANIFEST_SHA256 is; set both, or neither");
  }
  if (pin === undefined) {
    return none("MANIFEST_SHA256: is not set, but MANIFEST_PATH is; set it to the SHA-256 that the deployment printed");
  }
  try {
    const { manifest, sha256 } = readManifestBytes(await readFile(path), pin);
    return { manifest: checksumAddresses(manifest), sha256, problem: null };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "manifest_hash_mismatch") {
      return none(`MANIFEST_SHA256: ${message}; find out who changed the file of MANIFEST_PATH, or correct the pin`);
    }
    if (code === "manifest_invalid") return none(`MANIFEST_PATH: ${message}`);
    return none(
      `MANIFEST_PATH: the file cannot be read (${code ?? "unknown error"}); correct the path or its permissions`,
    );
  }
}

/** Checksums all addresses. An operator may write them in any case; the API's format is EIP-55. */
function checksumAddresses(manifest: Manifest): Manifest {
  return JSON.parse(JSON.stringify(manifest), (_key, value: unknown) =>
    typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value) ? checksummed(value) : value,
  ) as Manifest;
}

/** Lists the deployments of a manifest, the current deployment first. */
export function listDeployments(manifest: Manifest): readonly LaunchDeployment[] {
  return [manifest.current, ...manifest.history];
}
