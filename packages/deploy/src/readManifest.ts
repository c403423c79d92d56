import { type Manifest, manifestSchema } from "@slipway/protocol/manifest";
import { z } from "zod";
import { DeployError } from "./deployError.ts";
import { manifestSha256 } from "./manifestText.ts";

/**
 * Reads the bytes of a manifest's file.
 *
 * @param pinnedSha256 - What its SHA-256 must be, hex in any case, with or without 0x; not compared when left out.
 * @returns The manifest, and the SHA-256 of the bytes as hex.
 * @throws DeployError `manifest_hash_mismatch`, `manifest_invalid`; the latter's message names every wrong field.
 */
export function readManifest(
  bytes: Uint8Array | string,
  pinnedSha256?: string,
): { manifest: Manifest; sha256: string } {
  const sha256 = manifestSha256(bytes);
  const pinned = pinnedSha256?.toLowerCase().replace(/^0x/, "");
  if (pinned !== undefined && pinned !== sha256) {
    throw new DeployError("manifest_hash_mismatch", `the manifest's SHA-256 is ${sha256}, pinned is ${pinned}`);
  }
  let content: unknown;
  try {
    content = JSON.parse(typeof bytes === "string" ? bytes : new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new DeployError("manifest_invalid", "the manifest is no JSON", { cause });
  }
  const parsed = manifestSchema.safeParse(content);
  if (!parsed.success) {
    throw new DeployError(
      "manifest_invalid",
      `the manifest does not fit its schema:\n${z.prettifyError(parsed.error)}`,
    );
  }
  return { manifest: parsed.data, sha256 };
}
