import { createHash } from "node:crypto";

/** A response body as serialized bytes: sent as they are, or 304 to a client that has this ETag. */
export class CachedResponse {
  readonly bytes: Buffer;
  /** A strong ETag with its quotes; null for bytes that must not be cached. */
  readonly etag: string | null;
  readonly contentType: string;

  constructor(bytes: Buffer, etag: string | null, contentType = "application/json; charset=utf-8") {
    this.bytes = bytes;
    this.etag = etag;
    this.contentType = contentType;
  }
}

/** A strong ETag with its quotes: a hash of the bytes. */
export function strongEtag(bytes: Uint8Array): string {
  return `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 27)}"`;
}

/** A value as JSON bytes with their ETag. Numbers must be finite: JSON turns others into null (see `finiteOrNull`). */
export function serializeJson(value: unknown): CachedResponse {
  const bytes = Buffer.from(JSON.stringify(value));
  return new CachedResponse(bytes, strongEtag(bytes));
}
