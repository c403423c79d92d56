import { SlipwayError } from "@slipway/protocol/errors";
import { chargeCredits, refundCredits } from "../accounts/credits.ts";
import { getActivePlan } from "../accounts/plans.ts";
import type { Deps } from "../deps.ts";
import type { Principal } from "../accounts/principal.ts";
import type { GuardedRoute, Route } from "../route.ts";

/** Whether a route changes something: a session then needs the site's own Origin. */
export const isMutating = (route: Pick<Route, "method">) => route.method !== "GET";

/** The scope that a credential needs for a route. */
export const getRequiredScope = (route: Pick<Route, "method" | "scope">) =>
  route.scope ?? (isMutating(route) ? "write" : "read");

/** How long after signing in a session may change how an account is reached. */
const recentSignInMs = 10 * 60_000;

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
  if (route.recentSignIn) {
    const { signedInAt } = principal;
    if (signedInAt === null) throw new SlipwayError("reauthentication_required", "No API key can do this: sign in.");
    const ageMs = deps.clock.now() - signedInAt.getTime();
    if (ageMs > recentSignInMs) throw new SlipwayError("reauthentication_required");
  }
  if (route.plan === undefined) return;
  const active = await getActivePlan(deps.db.api, principal.accountId);
  if (active?.plan !== route.plan) throw new SlipwayError("plan_required");
}

/**
 * Runs a route's work for the credits that it costs: charged before, refunded when it fails, both booked under the
 * request's id.
 *
 * @throws SlipwayError `insufficient_credits`, and whatever the work throws.
 */
export async function withCredits<T>(
  deps: Pick<Deps, "db" | "log">,
  route: Pick<GuardedRoute, "credits" | "name">,
  { accountId }: Principal,
  requestId: string,
  work: () => Promise<T>,
): Promise<T> {
  const { credits, name } = route;
  if (credits === undefined) return await work();
  if (!(await chargeCredits(deps.db.api, { accountId, credits, reason: name, requestId }))) {
    throw new SlipwayError("insufficient_credits");
  }
  try {
    return await work();
  } catch (error) {
    await refundCredits(deps.db.api, accountId, requestId).catch((failure: unknown) =>
      deps.log.error({ err: failure, accountId, requestId, credits }, "credits of failed request not refunded"),
    );
    throw error;
  }
}
