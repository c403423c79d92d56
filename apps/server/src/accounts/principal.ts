import type { Scope } from "@slipway/protocol/accounts";

/** Who asks: an account, how it proved itself, and what that credential may do. */
export type Principal = {
  accountId: string;
  /** The API key; null for a session. */
  keyId: string | null;
  /** The browser's session; null for a key. */
  sessionId: string | null;
  scopes: readonly Scope[];
};
