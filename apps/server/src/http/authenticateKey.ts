import { SlipwayError } from "@slipway/protocol/errors";
import { ownerScopes } from "@slipway/protocol/scopes";
import { hashApiKey } from "../apiKeySecret.ts";
import { findApiKey, touchApiKey } from "../db/apiKeys.ts";
import type { Deps } from "../deps.ts";
import type { Principal } from "./principal.ts";
import { rememberStanding } from "./rememberStanding.ts";

/**
 * Checks bearer keys against their stored hashes.
 *
 * @returns The key's principal. @throws SlipwayError `unauthorized`.
 */
export function createAuthenticateKey(deps: Pick<Deps, "db" | "clock" | "log">) {
  const remembered = rememberStanding(deps.clock);

  return async (authorization: string): Promise<Principal> => {
    const key = /^Bearer ([\x21-\x7e]{8,256})$/i.exec(authorization)?.[1];
    if (key === undefined) throw new SlipwayError("unauthorized", "This is no bearer credential.");
    // Looked up by its hash: no comparison of secrets takes time that depends on their content.
    const hash = hashApiKey(key);
    const principal = await remembered(Buffer.from(hash).toString("base64"), async () => {
      const row = await findApiKey(deps.db.api, hash);
      if (row === null) return null;
      touchApiKey(deps.db.api, row.id).catch((error) => deps.log.warn({ err: error }, "last use not recorded"));
      const scopes = row.scopes.length === 0 ? ownerScopes : row.scopes;
      return { accountId: row.account_id, keyId: row.id, sessionId: null, scopes };
    });
    if (principal === null) throw new SlipwayError("unauthorized", "The API key is unknown, expired or revoked.");
    return principal;
  };
}
