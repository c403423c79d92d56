/** Stores the images of the service. A key is a relative path such as `<sha256>.webp`; what it names never changes. */
export type MediaStorage = {
  /** Stores all of an object or nothing of it. @throws MediaStorageError */
  put(key: string, bytes: Uint8Array, contentType: string): Promise<void>;
  /** Null: there is none. @throws MediaStorageError */
  get(key: string): Promise<Buffer | null>;
  /** @throws MediaStorageError */
  has(key: string): Promise<boolean>;
};

/** The storage does not answer, is full, or refuses its credentials. The cause may hold addresses: it is only logged. */
export class MediaStorageError extends Error {
  override name = "MediaStorageError";
}
