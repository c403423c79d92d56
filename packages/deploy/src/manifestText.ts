import { createHash } from "node:crypto";
import { type Manifest, manifestSchema } from "@slipway/protocol/manifest";

/** The bytes of a manifest's file: the schema's order of fields, two spaces, a line feed at the end. */
export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify(manifestSchema.parse(manifest), null, 2)}\n`;
}

/** SHA-256 of a manifest's file as hex: what an operator pins. */
export function manifestSha256(file: string | Uint8Array): string {
  return createHash("sha256").update(file).digest("hex");
}
