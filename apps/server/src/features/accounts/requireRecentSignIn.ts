import { SlipwayError } from "@slipway/protocol/errors";
import type { Principal } from "../../accounts/principal.ts";
import { isSessionRecent } from "../../accounts/sessions.ts";
import type { Deps } from "../../deps.ts";

/** How long after its sign-in a session may change what controls the account. */
const recentMinutes = 10;

/**
 * Requires a session that signed in within the last ten minutes, so that neither a leaked key nor a browser that somebody
 * left open is enough.
 *
 * @throws SlipwayError `reauthentication_required`.
 */
export async function requireRecentSignIn(principal: Principal, deps: Pick<Deps, "db">): Promise<void> {
  const { accountId, sessionId } = principal;
  const isRecent = sessionId !== null && (await isSessionRecent(deps.db.api, accountId, sessionId, recentMinutes));
  if (!isRecent) throw new SlipwayError("reauthentication_required");
}
