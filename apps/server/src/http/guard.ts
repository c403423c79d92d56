import { SlipwayError } from "@slipway/protocol/errors";
import { getActivePlan } from "../accounts/plans.ts";
import type { Principal } from "../accounts/principal.ts";
import { requireRecentSignIn } from "../accounts/recentSignIn.ts";
import type { Deps } from "../deps.ts";
import type { GuardedRoute, Route } from "../route.ts";

/** Whether a route changes data: a session then needs the site's own Origin. */
export const isMutating = (route: Pick<Route, "method">) => route.method !== "GET";

/** The scope that a credential needs for a route. */
export const getRequiredScope = (route: Pick<Route, "method" | "scope">) =>
  route.scope ?? (isMutating(route) ? "write" : "read");

/**
 * Checks that a principal has the scope, the recent sign-in and the plan that a route declares.
 *
 * @throws SlipwayError `scope_required`, `reauthentication_required`, `plan_required`.
 */
export async function authorize(
  deps: Pick<Deps, "db" | "clock">,
  route: Pick<GuardedRoute, "method" | "scope" | "recentSignIn" | "plan">,
  principal: Principal,
): Promise<void> {
  const scope = getRequiredScope(route);
  if (!principal.scopes.includes(scope)) {
    throw new SlipwayError("scope_required", `This credential lacks the scope ${scope}.`, { details: { scope } });
  }
  if (route.recentSignIn) requireRecentSignIn(principal, deps.clock.now());
  if (route.plan === undefined) return;
  const active = await getActivePlan(deps.db.api, principal.accountId);
  if (active?.plan !== route.plan) throw new SlipwayError("plan_required");
}
