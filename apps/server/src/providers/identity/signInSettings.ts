import type { HandleProvider } from "@slipway/protocol/accounts";
import { SlipwayError } from "@slipway/protocol/errors";
import type { Config } from "../../config.ts";

/** Where people sign in: messages name the domain, cookies belong to the origin. */
export type Site = { origin: string; domain: string; secure: boolean };

/** Whether people can sign in at all and what they can link, by configuration alone; `reason` says what is missing. */
export type SignInStanding = { site: Site | null; reason: string | null; linkable: readonly HandleProvider[] };

/** The origin that SITE_URL names; a request's own Host header is never believed, it may be another site's. */
export function signInStanding(config: Config): SignInStanding {
  if (config.AUTH_SECRET === undefined) return unavailable("AUTH_SECRET is not set.");
  if (config.SITE_URL === undefined) return unavailable("SITE_URL is not set.");
  const { origin, host, protocol } = new URL(config.SITE_URL);
  const linkable: HandleProvider[] = [];
  if (config.CODE_HOST_CLIENT_ID && config.CODE_HOST_CLIENT_SECRET) linkable.push("code_host");
  if (config.SOCIAL_CLIENT_ID && config.SOCIAL_CLIENT_SECRET) linkable.push("social");
  return { site: { origin, domain: host, secure: protocol === "https:" }, reason: null, linkable };
}

const unavailable = (reason: string): SignInStanding => ({ site: null, reason, linkable: [] });

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
