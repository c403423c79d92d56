import { SlipwayError } from "@slipway/protocol/errors";
import type { Identity } from "./identityOf.ts";

/**
 * The session of a cookie whose signature holds; null when there is none or it has expired. Changes nothing: a session
 * is prolonged by the route that the web app asks for it.
 *
 * @param cookie - `name=value`.
 * @throws SlipwayError `storage_unavailable`.
 */
export async function readSession(
  { auth }: Identity,
  cookie: string,
): Promise<{ id: string; accountId: string; expiresAt: Date } | null> {
  const found = await auth.api
    .getSession({ headers: new Headers({ cookie }), query: { disableRefresh: true } })
    .catch((error: unknown) => {
      // The library says no more than that it could not read it.
      throw new SlipwayError("storage_unavailable", undefined, { cause: error });
    });
  if (found === null) return null;
  const { id, userId, expiresAt } = found.session;
  return { id, accountId: userId, expiresAt };
}
