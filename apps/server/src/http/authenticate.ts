import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { defaultKeyScopes, sessionScopes } from "@slipway/protocol/accounts";
import { SlipwayError } from "@slipway/protocol/errors";
import { findApiKey, hashApiKey, touchApiKey } from "../accounts/apiKeys.ts";
import type { Principal } from "../accounts/principal.ts";
import { createTimedCache } from "../cache/createTimedCache.ts";
import type { Clock } from "../clock.ts";
import type { Config } from "../config.ts";
import type { Deps } from "../deps.ts";
import { readSession } from "../providers/identity/callIdentity.ts";
import { findSessionCookie, getSessionCookieName } from "../providers/identity/signInSettings.ts";
import { getSiteOrigins } from "./cors.ts";

/** The headers of a request or of a WebSocket handshake, and whether the request changes anything. */
export type Caller = { headers: IncomingHttpHeaders; mutating: boolean };

/** @throws SlipwayError `unauthorized`; `invalid_origin` for a mutating request by cookie from elsewhere. */
export type Authenticate = (caller: Caller) => Promise<Principal>;

/**
 * Authenticates by a bearer key or by the session of a cookie. If both are sent, the key decides and the cookie is ignored:
 * an invalid key is refused despite a valid cookie, and a valid key needs no Origin.
 */
export function createAuthenticate(deps: Deps): Authenticate {
  const authenticateKey = createAuthenticateKey(deps);
  const authenticateSession = createAuthenticateSession(deps);
  return async ({ headers, mutating }) => {
    if (headers.authorization !== undefined) return await authenticateKey(headers.authorization);
    return await authenticateSession(headers, mutating);
  };
}

const sendKey = "Send an API key as the header Authorization: Bearer KEY.";
const signIn =
  "sign in: sign a message with the nonce of POST /api/auth/siwe/nonce, and send it to POST /api/auth/siwe/verify.";

/** Checks bearer keys against their stored hashes. The returned function throws SlipwayError `unauthorized`. */
function createAuthenticateKey(deps: Pick<Deps, "db" | "clock" | "log">) {
  const getPrincipal = createPrincipalCache(deps.clock);

  return async (authorization: string): Promise<Principal> => {
    const key = /^Bearer ([\x21-\x7e]{8,256})$/i.exec(authorization)?.[1];
    if (key === undefined)
      throw new SlipwayError("unauthorized", `The Authorization header is not a bearer credential. ${sendKey}`);
    // The look-up by hash avoids a comparison of secrets, whose time would depend on their content.
    const hash = hashApiKey(key);
    const principal = await getPrincipal(Buffer.from(hash).toString("base64"), async () => {
      const row = await findApiKey(deps.db.api, hash);
      if (row === null) return null;
      touchApiKey(deps.db.api, row.id).catch((error: unknown) =>
        deps.log.warn({ err: error, keyId: row.id }, "api key last use not recorded"),
      );
      const scopes = row.scopes.length === 0 ? defaultKeyScopes : row.scopes;
      const { id: keyId, account_id: accountId, expires_at: expiresAt } = row;
      return { accountId, keyId, sessionId: null, signedInAt: null, expiresAt, scopes };
    });
    if (principal === null) {
      throw new SlipwayError("unauthorized", "The API key is unknown, expired or revoked; create another one.");
    }
    return principal;
  };
}

/**
 * Checks the session of a cookie. A mutating request must come from a page of this site. The returned function throws
 * SlipwayError `unauthorized`, `invalid_origin`.
 */
function createAuthenticateSession(deps: Pick<Deps, "clock" | "config" | "identity">) {
  const { identity } = deps;
  const getPrincipal = createPrincipalCache(deps.clock);
  const origins = getSiteOrigins(deps.config);

  return async (
    headers: { cookie?: string | undefined; origin?: string | undefined },
    mutating: boolean,
  ): Promise<Principal> => {
    const cookie = identity === null ? null : findSessionCookie(identity.site, headers.cookie);
    if (identity === null) {
      throw new SlipwayError(
        "unauthorized",
        `No credential was sent. ${sendKey} Sign-in is not configured on this server.`,
      );
    }
    if (cookie === null) {
      throw new SlipwayError("unauthorized", `No credential was sent. ${sendKey} In a browser: ${signIn}`);
    }
    if (mutating) requireOrigin(headers.origin, origins);
    const hash = createHash("sha256").update(cookie).digest("base64");
    const principal = await getPrincipal(hash, async () => {
      const session = await readSession(identity, cookie);
      if (session === null) return null;
      const { id: sessionId, accountId, signedInAt, expiresAt } = session;
      return { accountId, keyId: null, sessionId, signedInAt, expiresAt, scopes: sessionScopes };
    });
    if (principal === null) {
      throw new SlipwayError("unauthorized", `The session is unknown, expired or signed out. To continue, ${signIn}`);
    }
    return principal;
  };
}

/** How long a principal is cached, so that a revoked credential is refused within a second. */
export const principalTtlMs = 500;
const maxPrincipals = 10_000;

/**
 * Caches the principals of credentials, including credentials without a principal. Concurrent requests with one credential
 * wait for one load, so that a burst does not use all connections for the same query.
 *
 * @returns A function of the credential's hash and of a loader of its principal; a failed load is not cached.
 */
function createPrincipalCache(clock: Pick<Clock, "now">) {
  const cache = createTimedCache<{ principal: Principal | null }>({
    clock,
    maxEntries: maxPrincipals,
    ttlMs: principalTtlMs,
  });
  const loads = new Map<string, { startedAt: number; principal: Promise<Principal | null> }>();
  const isFresh = (startedAt: number) => Math.abs(clock.now() - startedAt) < principalTtlMs;

  return async (hash: string, load: () => Promise<Principal | null>): Promise<Principal | null> => {
    const cached = cache.get(hash);
    if (cached !== undefined) return cached.principal;
    const loading = loads.get(hash);
    if (loading !== undefined && isFresh(loading.startedAt)) return await loading.principal.catch(load);
    // The time to live begins before the load, so that a revocation during the load is not missed for longer.
    const started = { startedAt: clock.now(), principal: load() };
    loads.set(hash, started);
    try {
      const principal = await started.principal;
      cache.set(hash, { principal }, { start: started.startedAt });
      return principal;
    } finally {
      if (loads.get(hash) === started) loads.delete(hash);
    }
  };
}

/**
 * Requires an origin of this site, compared byte by byte: a browser sends an origin in one form only, so that any other form
 * (`null`, another case or port, a sub-domain, a trailing dot) is not from a page of this site.
 *
 * @throws SlipwayError `invalid_origin`.
 */
function requireOrigin(origin: string | undefined, allowed: ReadonlySet<string>): void {
  if (origin === undefined || !allowed.has(origin)) throw new SlipwayError("invalid_origin");
}

/**
 * Creates a check for routes that set cookies without a credential. A program other than a browser sends neither Origin nor
 * cookie; a request with one of them must come from a page of this site.
 *
 * @returns A check that throws SlipwayError `invalid_origin`.
 */
export function createRefuseForeignPage(config: Config): (headers: IncomingHttpHeaders) => void {
  const origins = getSiteOrigins(config);
  const cookieName = getSessionCookieName(config);
  return ({ origin, cookie = "" }) => {
    if (origin !== undefined || cookie.includes(`${cookieName}=`)) requireOrigin(origin, origins);
  };
}
