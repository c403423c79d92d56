import type { IncomingHttpHeaders } from "node:http";
import { errorRow, SlipwayError } from "@slipway/protocol/errors";
import type { Logger } from "pino";
import type { Clock } from "../../clock.ts";
import type { CheckSubscriber } from "./authorizeSubscriber.ts";

/** What a connected subscriber has lost. */
export type Lost = "unauthorized" | "plan_required";

type Watched = { headers: IncomingHttpHeaders; accountId: string; onLost: Set<(lost: Lost) => void> };

/** What of a handshake's headers says who asks. */
function credentialOf({ authorization, cookie, origin }: IncomingHttpHeaders): IncomingHttpHeaders {
  return {
    ...(authorization === undefined ? {} : { authorization }),
    ...(cookie === undefined ? {} : { cookie }),
    ...(origin === undefined ? {} : { origin }),
  };
}

/**
 * Asks again and again whether connected subscribers still are: their credential is good and their account has a plan.
 * Once for all connections with the same credential. A database that does not answer takes nobody's right away.
 */
export function createStandingWatch(options: {
  check: CheckSubscriber;
  clock: Pick<Clock, "sleep">;
  log: Logger;
  everyMs: number;
}) {
  const { check, clock, log, everyMs } = options;
  const watched = new Map<string, Watched>();
  let looking: AbortController | null = null;

  const lostBy = async ({ headers, accountId }: Watched): Promise<Lost | null> => {
    try {
      return (await check(headers)).accountId === accountId ? null : "unauthorized";
    } catch (error) {
      // A refusal; a database that does not answer is none.
      if (error instanceof SlipwayError && errorRow(error.code).fault === "caller") {
        return error.code === "plan_required" ? "plan_required" : "unauthorized";
      }
      log.warn({ err: error }, "the standing of a subscriber cannot be looked at");
      return null;
    }
  };

  const run = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      await clock.sleep(everyMs, signal).catch(() => undefined);
      for (const one of [...watched.values()]) {
        if (signal.aborted) return;
        const lost = await lostBy(one);
        if (lost !== null) for (const tell of [...one.onLost]) tell(lost);
      }
    }
  };

  return {
    /** @returns Ends the watching of this connection. */
    watch(all: IncomingHttpHeaders, accountId: string, onLost: (lost: Lost) => void): () => void {
      const headers = credentialOf(all);
      const key = JSON.stringify(headers);
      const known = watched.get(key) ?? { headers, accountId, onLost: new Set() };
      watched.set(key, known);
      known.onLost.add(onLost);
      if (looking === null) {
        looking = new AbortController();
        void run(looking.signal);
      }
      return () => {
        known.onLost.delete(onLost);
        if (known.onLost.size === 0) watched.delete(key);
        if (watched.size > 0) return;
        looking?.abort();
        looking = null;
      };
    },
  };
}
