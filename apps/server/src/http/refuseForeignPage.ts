import type { IncomingHttpHeaders } from "node:http";
import type { Config } from "../config.ts";
import { sessionCookieName } from "../providers/identity/sessionCookie.ts";
import { requireOrigin, siteOrigins } from "./requireOrigin.ts";

/**
 * For routes that set cookies without asking for a credential. A program that is no browser has neither Origin nor
 * cookie; whatever has one of them must be a page of this site.
 *
 * @returns A check that throws SlipwayError `invalid_origin`.
 */
export function createRefuseForeignPage(config: Config): (headers: IncomingHttpHeaders) => void {
  const origins = siteOrigins(config);
  const cookieName = sessionCookieName(config);
  return ({ origin, cookie = "" }) => {
    if (origin !== undefined || cookie.includes(`${cookieName}=`)) requireOrigin(origin, origins);
  };
}
