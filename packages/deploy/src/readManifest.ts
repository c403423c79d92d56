import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { type Manifest, manifestSchema } from "@slipway/protocol/manifest";
import { z } from "zod";
import { DeployError } from "./deployError.ts";
import { writeFileDurably } from "./writeFileDurably.ts";

/**
 * Reads the bytes of a manifest's file.
 *
 * @param pinnedSha256 - The expected SHA-256, hex in any case, with or without 0x; not compared when omitted.
 * @returns The manifest, and the SHA-256 of the bytes as hex.
 * @throws DeployError `manifest_hash_mismatch`, `manifest_invalid`; the latter's message names every invalid field.
 */
export function readManifest(
  bytes: Uint8Array | string,
  pinnedSha256?: string,
): { manifest: Manifest; sha256: string } {
  const sha256 = hashManifest(bytes);
  const pinned = pinnedSha256?.toLowerCase().replace(/^0x/, "");
  if (pinned !== undefined && pinned !== sha256) {
    throw new DeployError("manifest_hash_mismatch", `the manifest's SHA-256 is ${sha256}, pinned is ${pinned}`);
  }
  const parsed = manifestSchema.safeParse(parseJson(bytes));
  if (!parsed.success) {
    throw new DeployError(
      "manifest_invalid",
      `the manifest does not match its schema:\n${z.prettifyError(parsed.error)}`,
    );
  }
  return { manifest: parsed.data, sha256 };
}

function parseJson(bytes: Uint8Array | string): unknown {
  try {
    return JSON.parse(typeof bytes === "string" ? bytes : new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new DeployError("manifest_invalid", "the manifest is not JSON", { cause });
  }
}

/**
 * Reads a manifest's file; see `readManifest`.
 *
 * @throws DeployError `file_not_found`, `manifest_hash_mismatch`, `manifest_invalid`.
 */
export function readManifestFile(path: string, pinnedSha256?: string): { manifest: Manifest; sha256: string } {
  return readManifest(readBytes(path), pinnedSha256);
}

function readBytes(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch {
    throw new DeployError("file_not_found", `there is no manifest ${path}`);
  }
}

/** Serializes a manifest: the schema's order of fields, two spaces, a line feed at the end. */
export function serializeManifest(manifest: Manifest): string {
  return `${JSON.stringify(manifestSchema.parse(manifest), null, 2)}\n`;
}

/** Computes the SHA-256 of a manifest's file as hex: the value that an operator pins. */
export function hashManifest(file: string | Uint8Array): string {
  return createHash("sha256").update(file).digest("hex");
}

/** Writes a manifest's file, with the same bytes for the same manifest. Returns their SHA-256 as hex. */
export function writeManifest(path: string, manifest: Manifest): string {
  const text = serializeManifest(manifest);
  writeFileDurably(path, text, 0o644);
  return hashManifest(text);
}
