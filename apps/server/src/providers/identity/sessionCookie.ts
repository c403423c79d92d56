import { SlipwayError } from "@slipway/protocol/errors";
import type { Config } from "../../config.ts";
import type { Site } from "./signInStanding.ts";

/** The cookies' common beginning. `__Host-`: bound to this very host, so that a sub-domain cannot plant one. */
export const cookiePrefix = (site: Pick<Site, "secure">) => (site.secure ? "__Host-slipway" : "slipway");

/** What the session cookie of this deployment is called. */
export function sessionCookieName(config: Pick<Config, "SITE_URL">): string {
  return `${cookiePrefix({ secure: config.SITE_URL?.startsWith("https:") ?? false })}.session_token`;
}

/**
 * The session cookie of a Cookie header as `name=value`; null when there is none.
 *
 * @throws SlipwayError `unauthorized` when it is there twice: one of them was planted.
 */
export function sessionCookieOf(site: Pick<Site, "secure">, header: string | undefined): string | null {
  const start = `${cookiePrefix(site)}.session_token=`;
  const found = (header ?? "").split(/; ?/).filter((cookie) => cookie.startsWith(start));
  if (found.length > 1) throw new SlipwayError("unauthorized", "The session cookie was sent twice.");
  return found[0] ?? null;
}
