import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { SlipwayError } from "@slipway/protocol/errors";
import { ownerScopes } from "@slipway/protocol/accounts";
import { LRUCache } from "lru-cache";
import { findApiKey, hashApiKey, touchApiKey } from "../accounts/apiKeys.ts";
import type { Principal } from "../accounts/principal.ts";
import type { Deps } from "../deps.ts";
import type { Clock } from "../clock.ts";
import { readSession } from "../providers/identity/callIdentity.ts";
import { sessionCookieOf } from "../providers/identity/signInSettings.ts";
import { requireOrigin, siteOrigins } from "./requireOrigin.ts";

/** Who asks: the headers of a request or of a WebSocket handshake, and whether the request changes anything. */
export type Caller = { headers: IncomingHttpHeaders; mutating: boolean };

/** @throws SlipwayError `unauthorized`; `invalid_origin` for a mutating request by cookie from elsewhere. */
export type Authenticate = (caller: Caller) => Promise<Principal>;

/**
 * A bearer key, or the session of a cookie. Where both are sent the key decides and the cookie is not looked at: a bad
 * key is refused beside a good cookie, and a good key needs no Origin.
 */
export function createAuthenticate(deps: Deps): Authenticate {
  const byKey = createAuthenticateKey(deps);
  const bySession = createAuthenticateSession(deps);
  return async ({ headers, mutating }) => {
    if (headers.authorization !== undefined) return await byKey(headers.authorization);
    const principal = await bySession(headers, mutating);
    if (principal === null) throw new SlipwayError("unauthorized");
    return principal;
  };
}

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

/**
 * Checks the session that a cookie names; one that changes something must come from a page of this site.
 *
 * @returns The session's principal; null without a session cookie.
 * @throws SlipwayError `unauthorized`, `invalid_origin`.
 */
export function createAuthenticateSession(deps: Deps) {
  const remembered = rememberStanding(deps.clock);
  const origins = siteOrigins(deps.config);

  return async (
    headers: { cookie?: string | undefined; origin?: string | undefined },
    mutating: boolean,
  ): Promise<Principal | null> => {
    const identity = deps.identity;
    const cookie = identity === null ? null : sessionCookieOf(identity.site, headers.cookie);
    if (identity === null || cookie === null) return null;
    if (mutating) requireOrigin(headers.origin, origins);
    const hash = createHash("sha256").update(cookie).digest("base64");
    const principal = await remembered(hash, async () => {
      const session = await readSession(identity, cookie);
      if (session === null) return null;
      return { accountId: session.accountId, keyId: null, sessionId: session.id, scopes: ownerScopes };
    });
    if (principal === null) throw new SlipwayError("unauthorized", "The session is unknown, expired or signed out.");
    return principal;
  };
}

/** How long a credential's standing is remembered: what is revoked is refused within a second. */
const rememberedMs = 500;

/**
 * Looks a credential up, or remembers what the last look said.
 *
 * @returns A function of the credential's hash and the look; a look that fails is not remembered.
 */
export function rememberStanding(clock: Pick<Clock, "now">) {
  const known = new LRUCache<string, { principal: Principal | null }>({
    max: 10_000,
    ttl: rememberedMs,
    ttlResolution: 0,
    perf: { now: () => clock.now() },
  });
  return async (hash: string, look: () => Promise<Principal | null>): Promise<Principal | null> => {
    const found = known.get(hash);
    if (found !== undefined) return found.principal;
    // From before the look on: a revocation that it just missed must not be remembered for longer.
    const startedAt = clock.now();
    const principal = await look();
    known.set(hash, { principal }, { start: startedAt });
    return principal;
  };
}
