import { type ErrorCode, errorRow } from "@slipway/protocol/errors";
import { limitClassOf } from "./limits/limitRequest.ts";
import { isMutating } from "./guard.ts";
import type { Route } from "./route.ts";

/** Every code that a route can answer: its own, and those that its guard and its kinds of input bring. */
export function errorsOf(route: Route): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>(["credentials_in_url", ...route.errors]);
  if (route.sameOrigin) codes.add("invalid_origin");
  if (route.auth === "bearer") {
    for (const code of ["unauthorized", "scope_required", "storage_unavailable"] as const) codes.add(code);
    if (isMutating(route)) codes.add("invalid_origin");
    if (route.plan) codes.add("plan_required");
    if (route.credits) codes.add("insufficient_credits");
  }
  if (limitClassOf(route) !== "none") codes.add("rate_limited");
  if (route.schemas.body) codes.add("invalid_fields");
  // A body that a mutating route has no use for is read all the same.
  if (isMutating(route)) for (const code of ["invalid_json", "body_too_large"] as const) codes.add(code);
  if (route.schemas.query) codes.add("invalid_query");
  if (route.schemas.params) codes.add("invalid_address");
  if (route.schemas.headers) codes.add("idempotency_key_missing");
  return [...codes];
}

/** Codes that say that a body cannot be read. */
const unreadableBody: ReadonlySet<ErrorCode> = new Set(["invalid_json", "body_too_large"]);

/** The status that a code has on a route. */
export function statusOn(route: Pick<Route, "refusedBodyStatus">, code: ErrorCode): number {
  return (unreadableBody.has(code) ? route.refusedBodyStatus : undefined) ?? errorRow(code).status;
}
