import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { SlipwayError } from "@slipway/protocol/errors";
import type { Deps } from "../../deps.ts";
import type { Authenticate } from "../authenticate.ts";
import { authorize } from "../guard.ts";
import { limitFailures } from "../limits/limitRequest.ts";
import type { Limits } from "../limits/limits.ts";
import type { Principal } from "../../accounts/principal.ts";
import { createTurns } from "../../live/createTurns.ts";

/** What a stream for subscribers asks of a credential and its account. */
const needed = { method: "GET", scope: "read", plan: "subscriber" } as const;

/**
 * Who a subscriber is by a handshake's headers: a good credential, with a cookie the site's own Origin, and a plan.
 *
 * @throws SlipwayError `unauthorized`, `invalid_origin`, `scope_required`, `plan_required`.
 */
export type CheckSubscriber = (headers: IncomingHttpHeaders) => Promise<Principal>;

export function createCheckSubscriber(deps: Deps, authenticate: Authenticate): CheckSubscriber {
  return async (headers) => {
    // A handshake is a GET and yet must not be made by a foreign page in somebody's name.
    const principal = await authenticate({ headers, mutating: true });
    await authorize(deps, needed, principal);
    return principal;
  };
}

/** After a restart all clients come at once: they wait for each other, and leave the database to requests as well. */
const checkedAtOnce = 4;

/** Who may have a stream, and the places that it takes. */
export type Subscriber = { accountId: string; release(): void };

/**
 * Decides whether a handshake becomes a stream for subscribers.
 *
 * @throws SlipwayError `credentials_in_url`, `rate_limited`, and those of `check`.
 */
export function createAdmitSubscriber(
  deps: Deps,
  limits: Limits,
  check: CheckSubscriber,
): (request: IncomingMessage) => Promise<Subscriber> {
  const streams = deps.streamCapacity;
  const turns = createTurns(checkedAtOnce);

  return async (request) => {
    await limits.consumeHandshake(request);
    if (request.headers["sec-websocket-protocol"] !== undefined) {
      throw new SlipwayError(
        "credentials_in_url",
        "No subprotocol is spoken here, and none may carry a credential: send it as Authorization: Bearer.",
      );
    }
    const address = limits.clientAddress(request);
    const leaveAddress = streams.ofAddress.take(address);
    try {
      const { accountId } = await limitFailures(limits, address, () => turns(() => check(request.headers)));
      const leaveAccount = streams.ofAccount.take(accountId);
      return {
        accountId,
        release: () => {
          leaveAddress();
          leaveAccount();
        },
      };
    } catch (error) {
      leaveAddress();
      throw error;
    }
  };
}
