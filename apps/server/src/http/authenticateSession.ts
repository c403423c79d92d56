import { createHash } from "node:crypto";
import { SlipwayError } from "@slipway/protocol/errors";
import { ownerScopes } from "@slipway/protocol/scopes";
import type { Deps } from "../deps.ts";
import { readSession } from "../providers/identity/readSession.ts";
import { identityOf } from "../providers/identity/identityOf.ts";
import { sessionCookieOf } from "../providers/identity/sessionCookie.ts";
import type { Principal } from "./principal.ts";
import { rememberStanding } from "./rememberStanding.ts";
import { requireOrigin, siteOrigins } from "./requireOrigin.ts";

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
    const identity = identityOf(deps);
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
