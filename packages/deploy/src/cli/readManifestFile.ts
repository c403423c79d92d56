import { readFileSync } from "node:fs";
import type { Manifest } from "@slipway/protocol/manifest";
import { DeployError } from "../deployError.ts";
import { readManifest } from "../readManifest.ts";

/**
 * Reads a manifest's file; see `readManifest`.
 *
 * @throws DeployError `file_not_found`, `manifest_hash_mismatch`, `manifest_invalid`.
 */
export function readManifestFile(path: string, pinnedSha256?: string): { manifest: Manifest; sha256: string } {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch {
    throw new DeployError("file_not_found", `there is no manifest ${path}`);
  }
  return readManifest(bytes, pinnedSha256);
}
