/** Stores the images of the service. A key is a relative path such as `<sha256>.webp`; its content never changes. */
export type MediaStorage = {
  /** Stores an object completely or not at all. @throws MediaStorageError */
  put(key: string, bytes: Uint8Array, contentType: string): Promise<void>;
  /** Null if the object does not exist. @throws MediaStorageError */
  get(key: string): Promise<Buffer | null>;
  /** @throws MediaStorageError */
  has(key: string): Promise<boolean>;
};

/**
 * The storage does not respond, is full, or refuses its credentials. The cause may contain addresses and is only
 * logged.
 */
export class MediaStorageError extends Error {
  override name = "MediaStorageError";
}
