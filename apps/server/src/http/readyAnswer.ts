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
