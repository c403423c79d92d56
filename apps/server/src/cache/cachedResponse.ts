import { createHash } from "node:crypto";
import { toOwnBytes } from "./toOwnBytes.ts";

/** A serialized response body. Sent without change, or as 304 to a client with the same ETag. */
export class CachedResponse {
  readonly bytes: Buffer;
  /** A strong ETag with its quotes; null for bytes that must not be cached. */
  readonly etag: string | null;
  readonly contentType: string;

  constructor(bytes: Buffer, etag: string | null, contentType = "application/json; charset=utf-8") {
    this.bytes = toOwnBytes(bytes);
    this.etag = etag;
    this.contentType = contentType;
  }
}

/** Returns a strong ETag with its quotes: a hash of the bytes. */
export function strongEtag(bytes: Uint8Array): string {
  return `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 27)}"`;
}

/** Serializes a value as JSON with its ETag. Numbers must be finite: JSON converts others to null (`finiteOrNull`). */
export function serializeJson(value: unknown): CachedResponse {
  const bytes = Buffer.from(JSON.stringify(value));
  return new CachedResponse(bytes, strongEtag(bytes));
}
