import type { Manifest } from "@slipway/protocol/manifest";
import { manifestSha256, manifestText } from "./manifestText.ts";
import { writeFileDurably } from "./writeFileDurably.ts";

/** Writes a manifest's file, the same bytes for the same manifest. Returns their SHA-256 as hex. */
export function writeManifest(path: string, manifest: Manifest): string {
  const text = manifestText(manifest);
  writeFileDurably(path, text, 0o644);
  return manifestSha256(text);
}
