import { SlipwayError } from "@slipway/protocol/errors";
import type { Deps } from "../../deps.ts";
import { createIdentity } from "./createIdentity.ts";
import { type SignInStanding, signInStanding, type Site } from "./signInStanding.ts";

/** Who people are: the library over our tables, and what was configured for it. */
export type Identity = { auth: ReturnType<typeof createIdentity>; site: Site; linkable: SignInStanding["linkable"] };

const identities = new WeakMap<Deps, Identity | null>();

/** The one identity service of a process's dependencies, made when it is first needed; null when it is not configured. */
export function identityOf(deps: Deps): Identity | null {
  let identity = identities.get(deps);
  if (identity === undefined) {
    const { site, linkable } = signInStanding(deps.config);
    identity = site === null ? null : { auth: createIdentity(deps, site, linkable), site, linkable };
    identities.set(deps, identity);
  }
  return identity;
}

/** @throws SlipwayError `provider_unavailable` that says which setting is missing. */
export function requireIdentity(deps: Deps): Identity {
  const identity = identityOf(deps);
  if (identity !== null) return identity;
  throw new SlipwayError("provider_unavailable", `Nobody can sign in here: ${signInStanding(deps.config).reason}`);
}
