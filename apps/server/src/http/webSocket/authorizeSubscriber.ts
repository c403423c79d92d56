import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { SlipwayError } from "@slipway/protocol/errors";
import pLimit from "p-limit";
import type { Principal } from "../../accounts/principal.ts";
import type { Deps } from "../../deps.ts";
import type { Authenticate } from "../authenticate.ts";
import { authorize } from "../guard.ts";
import { limitFailures } from "../overload/limitRequest.ts";
import type { Limits } from "../overload/limits.ts";

/** What a stream requires of a credential and its account. */
const requirements = { method: "GET", scope: "read", plan: "subscriber" } as const;

/**
 * Verifies the headers of a handshake: a valid credential (a cookie only with the site's own Origin) and an active plan.
 *
 * @throws SlipwayError `unauthorized`, `invalid_origin`, `scope_required`, `plan_required`.
 */
export type VerifySubscriber = (headers: IncomingHttpHeaders) => Promise<Principal>;

export function createVerifySubscriber(deps: Deps, authenticate: Authenticate): VerifySubscriber {
  return async (headers) => {
    // A handshake is a GET, but a foreign page must not make it with the user's cookie.
    const principal = await authenticate({ headers, mutating: true });
    await authorize(deps, requirements, principal);
    return principal;
  };
}

/** Maximum concurrent verifications: after a restart all clients reconnect together, and requests need the database, too. */
const verifyConcurrency = 4;

/** A subscriber with its stream slots. */
export type Subscriber = Pick<Principal, "accountId" | "expiresAt"> & { release(): void };

/**
 * Creates the function that authorizes a handshake. It throws SlipwayError `credentials_in_url`, `rate_limited`, and the errors
 * of `verify`.
 */
export function createAuthorizeSubscriber(
  deps: Deps,
  limits: Limits,
  verify: VerifySubscriber,
): (request: IncomingMessage) => Promise<Subscriber> {
  const { streams, perAddress, perAccount } = deps.streamCapacity;
  const limit = pLimit(verifyConcurrency);

  return async (request) => {
    await limits.consumeHandshake(request);
    if (request.headers["sec-websocket-protocol"] !== undefined) {
      throw new SlipwayError(
        "credentials_in_url",
        "This server supports no subprotocol. Send the credential as Authorization: Bearer.",
      );
    }
    const address = limits.clientAddress(request);
    const slots = new DisposableStack();
    try {
      slots.defer(perAddress.acquire(address));
      const { accountId, expiresAt } = await limitFailures(limits, address, () => limit(() => verify(request.headers)));
      slots.defer(perAccount.acquire(accountId));
      // Only a verified handshake replaces another stream.
      slots.defer(streams.acquire(address, () => request.socket.destroy()));
      return { accountId, expiresAt, release: () => slots.dispose() };
    } catch (error) {
      slots.dispose();
      throw error;
    }
  };
}
