import type { IncomingHttpHeaders } from "node:http";
import { SlipwayError } from "@slipway/protocol/errors";
import type { Deps } from "../deps.ts";
import { createAuthenticateKey } from "./authenticateKey.ts";
import { createAuthenticateSession } from "./authenticateSession.ts";
import type { Principal } from "./principal.ts";

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
