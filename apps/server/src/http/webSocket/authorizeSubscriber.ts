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
 * The subscriber that a handshake's headers authenticate: a valid credential, with a cookie the site's own Origin, and
 * an active plan.
 *
 * @throws SlipwayError `unauthorized`, `invalid_origin`, `scope_required`, `plan_required`.
 */
export type VerifySubscriber = (headers: IncomingHttpHeaders) => Promise<Principal>;

export function createVerifySubscriber(deps: Deps, authenticate: Authenticate): VerifySubscriber {
  return async (headers) => {
    // A handshake is a GET and yet must not be made by a foreign page with the user's cookie.
    const principal = await authenticate({ headers, mutating: true });
    await authorize(deps, requirements, principal);
    return principal;
  };
}

/** Verifications at once: after a restart all clients reconnect together, and requests need the database as well. */
const verifyConcurrency = 4;

/** A subscriber with the stream slots it holds. */
export type Subscriber = Pick<Principal, "accountId" | "expiresAt"> & { release(): void };

/**
 * Decides whether a handshake becomes a stream for subscribers.
 *
 * @returns Throws SlipwayError `credentials_in_url`, `rate_limited`, and those of `verify`.
 */
export function createAuthorizeSubscriber(
  deps: Deps,
  limits: Limits,
  verify: VerifySubscriber,
): (request: IncomingMessage) => Promise<Subscriber> {
  const { perAddress, perAccount } = deps.streamCapacity;
  const limit = pLimit(verifyConcurrency);

  return async (request) => {
    await limits.consumeHandshake(request);
    if (request.headers["sec-websocket-protocol"] !== undefined) {
      throw new SlipwayError(
        "credentials_in_url",
        "No subprotocol is spoken here, and none may carry a credential: send it as Authorization: Bearer.",
      );
    }
    const address = limits.clientAddress(request);
    const releaseAddress = perAddress.acquire(address);
    try {
      const { accountId, expiresAt } = await limitFailures(limits, address, () => limit(() => verify(request.headers)));
      const releaseAccount = perAccount.acquire(accountId);
      return {
        accountId,
        expiresAt,
        release: () => {
          releaseAddress();
          releaseAccount();
        },
      };
    } catch (error) {
      releaseAddress();
      throw error;
    }
  };
}
