import type { IncomingHttpHeaders } from "node:http";
import { SlipwayError } from "@slipway/protocol/errors";
import type { Config } from "../config.ts";
import { sessionCookieName } from "../providers/identity/signInSettings.ts";

/** The origins whose pages may use a session, exactly as browsers send them. */
export function siteOrigins(config: Pick<Config, "SITE_URL" | "ALLOWED_ORIGINS">): ReadonlySet<string> {
  const urls = [...(config.SITE_URL === undefined ? [] : [config.SITE_URL]), ...config.ALLOWED_ORIGINS];
  return new Set(urls.map((url) => new URL(url).origin));
}

/**
 * Compares byte by byte: a browser sends an origin in one form only, so every other one (`null`, another case or port, a
 * sub-domain, a trailing dot) is not from a page of ours.
 *
 * @throws SlipwayError `invalid_origin`.
 */
export function requireOrigin(origin: string | undefined, allowed: ReadonlySet<string>): void {
  if (origin === undefined || !allowed.has(origin)) throw new SlipwayError("invalid_origin");
}

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
