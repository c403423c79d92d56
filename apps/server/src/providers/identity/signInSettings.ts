import type { HandleProvider } from "@slipway/protocol/accounts";
import { SlipwayError } from "@slipway/protocol/errors";
import type { Config } from "../../config.ts";

/** The site that users sign in to: messages name its domain, and cookies belong to its origin. */
export type Site = { origin: string; domain: string; secure: boolean };

/**
 * Whether users can sign in and which providers they can link, by configuration; `reason` names the missing setting.
 */
export type SignInSettings = { site: Site | null; reason: string | null; linkable: readonly HandleProvider[] };

/** Derives the site from SITE_URL; never uses the Host header of a request, because the client chooses it. */
export function getSignInSettings(config: Config): SignInSettings {
  if (config.AUTH_SECRET === undefined) return unavailable("AUTH_SECRET is not set.");
  if (config.SITE_URL === undefined) return unavailable("SITE_URL is not set.");
  const { origin, host, protocol } = new URL(config.SITE_URL);
  const linkable: HandleProvider[] = [];
  if (config.CODE_HOST_CLIENT_ID && config.CODE_HOST_CLIENT_SECRET) linkable.push("code_host");
  if (config.SOCIAL_CLIENT_ID && config.SOCIAL_CLIENT_SECRET) linkable.push("social");
  return { site: { origin, domain: host, secure: protocol === "https:" }, reason: null, linkable };
}

const unavailable = (reason: string): SignInSettings => ({ site: null, reason, linkable: [] });

/** Returns the prefix of all cookies. `__Host-` binds them to this host, so that a sub-domain cannot set one. */
export const getCookiePrefix = (site: Pick<Site, "secure">) => (site.secure ? "__Host-slipway" : "slipway");

/** Returns the name of the session cookie of this deployment. */
export function getSessionCookieName(config: Pick<Config, "SITE_URL">): string {
  return `${getCookiePrefix({ secure: config.SITE_URL?.startsWith("https:") ?? false })}.session_token`;
}

/** Whether a Cookie header has the cookie of an OAuth state: `STATE.SIGNATURE`, whose signature the library checks. */
export function hasStateCookie(site: Pick<Site, "secure">, header: string | undefined, state: string): boolean {
  const start = `${getCookiePrefix(site)}.state=`;
  const found = (header ?? "").split(/; ?/).filter((cookie) => cookie.startsWith(start));
  return found.length === 1 && found[0]!.startsWith(`${start}${state}.`);
}

/**
 * Finds the session cookie in a Cookie header, as `name=value`; null without one.
 *
 * @throws SlipwayError `unauthorized` when there are two, because another site set one of them.
 */
export function findSessionCookie(site: Pick<Site, "secure">, header: string | undefined): string | null {
  const start = `${getCookiePrefix(site)}.session_token=`;
  const found = (header ?? "").split(/; ?/).filter((cookie) => cookie.startsWith(start));
  if (found.length > 1) throw new SlipwayError("unauthorized", "The session cookie was sent twice.");
  return found[0] ?? null;
}
