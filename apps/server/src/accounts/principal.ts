import type { Scope } from "@slipway/protocol/accounts";

/** An authenticated caller: the account, its credential, and the credential's permissions. */
export type Principal = {
  accountId: string;
  /** The API key; null for a session. */
  keyId: string | null;
  /** The browser's session; null for a key. */
  sessionId: string | null;
  /** When the session signed in; null for a key. */
  signedInAt: Date | null;
  /** When the credential expires; null: never. */
  expiresAt: Date | null;
  scopes: readonly Scope[];
};
