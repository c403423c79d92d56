import { createHash } from "node:crypto";
import { ReadyAnswer } from "../http/readyAnswer.ts";

/** A strong ETag with its quotes: a hash of the bytes. */
export function strongEtag(bytes: Uint8Array): string {
  return `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 27)}"`;
}

/** A value as JSON bytes with their ETag. Numbers must be finite: JSON would turn others into null (see `finite`). */
export function readyJson(value: unknown): ReadyAnswer {
  const bytes = Buffer.from(JSON.stringify(value));
  return new ReadyAnswer(bytes, strongEtag(bytes));
}
