import { createHash } from "node:crypto";

/** How every API key of this service begins. */
export const apiKeyPrefix = "slip_";

/** A key as it is shown once, and what is kept of it. */
export type ApiKeySecret = {
  key: string;
  hash: Uint8Array;
  /** The first characters, to recognise it by. */
  prefix: string;
};

/** What is kept of a key: the key has 256 random bits, which need no salt and no slow hash. */
export function hashApiKey(key: string): Uint8Array {
  return createHash("sha256").update(key).digest();
}

/** A new key. */
export function createApiKeySecret(ids: { bytes(length: number): Uint8Array }): ApiKeySecret {
  const key = `${apiKeyPrefix}${Buffer.from(ids.bytes(32)).toString("base64url")}`;
  return { key, hash: hashApiKey(key), prefix: key.slice(0, apiKeyPrefix.length + 4) };
}
