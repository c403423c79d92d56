import { createHash } from "node:crypto";

/** An answer whose bytes are ready: sent as they are, with a 304 when the client has this ETag. */
export class ReadyAnswer {
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

/** A value as JSON bytes with their ETag. Numbers must be finite: JSON would turn others into null (see `finite`). */
export function readyJson(value: unknown): ReadyAnswer {
  const bytes = Buffer.from(JSON.stringify(value));
  return new ReadyAnswer(bytes, strongEtag(bytes));
}
