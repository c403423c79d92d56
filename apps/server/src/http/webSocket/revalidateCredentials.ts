import type { IncomingHttpHeaders } from "node:http";
import { errorRow, SlipwayError } from "@slipway/protocol/errors";
import type { Logger } from "pino";
import type { Clock } from "../../clock.ts";
import type { VerifySubscriber } from "./authorizeSubscriber.ts";

/** Why a connected subscriber is no longer authorized. */
export type Revocation = "unauthorized" | "plan_required";

type Watched = { headers: IncomingHttpHeaders; accountId: string; onRevoked: Set<(revocation: Revocation) => void> };

/** The headers of a handshake that carry a credential. */
function getCredentialHeaders({ authorization, cookie, origin }: IncomingHttpHeaders): IncomingHttpHeaders {
  return {
    ...(authorization === undefined ? {} : { authorization }),
    ...(cookie === undefined ? {} : { cookie }),
    ...(origin === undefined ? {} : { origin }),
  };
}

/**
 * Verifies connected subscribers again at an interval, once for all connections with the same credential. Only a refusal
 * revokes: while the database does not answer, connections stay.
 */
export function revalidateCredentials(options: {
  verify: VerifySubscriber;
  clock: Pick<Clock, "sleep">;
  log: Logger;
  intervalMs: number;
}) {
  const { verify, clock, log, intervalMs } = options;
  const watched = new Map<string, Watched>();
  let running: AbortController | null = null;

  const findRevocation = async ({ headers, accountId }: Watched): Promise<Revocation | null> => {
    try {
      return (await verify(headers)).accountId === accountId ? null : "unauthorized";
    } catch (error) {
      if (error instanceof SlipwayError && errorRow(error.code).fault === "caller") {
        return error.code === "plan_required" ? "plan_required" : "unauthorized";
      }
      log.warn({ err: error }, "credential revalidation failed");
      return null;
    }
  };

  const run = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      await clock.sleep(intervalMs, signal).catch(() => undefined);
      for (const one of [...watched.values()]) {
        if (signal.aborted) return;
        const revocation = await findRevocation(one);
        if (revocation !== null) for (const onRevoked of [...one.onRevoked]) onRevoked(revocation);
      }
    }
  };

  return {
    /** @returns Ends the revalidation of this connection. */
    watch(handshake: IncomingHttpHeaders, accountId: string, onRevoked: (revocation: Revocation) => void): () => void {
      const headers = getCredentialHeaders(handshake);
      const key = JSON.stringify(headers);
      const known = watched.get(key) ?? { headers, accountId, onRevoked: new Set() };
      watched.set(key, known);
      known.onRevoked.add(onRevoked);
      if (running === null) {
        running = new AbortController();
        void run(running.signal);
      }
      return () => {
        known.onRevoked.delete(onRevoked);
        if (known.onRevoked.size === 0) watched.delete(key);
        if (watched.size > 0) return;
        running?.abort();
        running = null;
      };
    },
  };
}
