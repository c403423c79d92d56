import { SlipwayError } from "@slipway/protocol/errors";
import type { Principal } from "./principal.ts";

/** The time after a sign-in during which a session may change sign-in methods and payouts of the account. */
const recentSignInMs = 10 * 60_000;

/**
 * Checks that a principal is a session that signed in within the last ten minutes.
 *
 * @throws SlipwayError `reauthentication_required`, for every API key too.
 */
export function requireRecentSignIn({ signedInAt }: Pick<Principal, "signedInAt">, now: number): void {
  if (signedInAt === null) throw new SlipwayError("reauthentication_required", "No API key can do this: sign in.");
  if (now - signedInAt.getTime() > recentSignInMs) throw new SlipwayError("reauthentication_required");
}
