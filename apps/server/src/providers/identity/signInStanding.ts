import type { HandleProvider } from "@slipway/protocol/accounts";
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
