import type { IncomingHttpHeaders } from "node:http";
import { errorRow, SlipwayError } from "@slipway/protocol/errors";
import pLimit from "p-limit";
import type { Logger } from "pino";
import { createTimedCache } from "../../cache/createTimedCache.ts";
import type { Clock } from "../../clock.ts";
import { principalTtlMs } from "../authenticate.ts";
import type { Subscriber, VerifySubscriber } from "./authorizeSubscriber.ts";

/** The channel on which the database publishes the account of a credential or plan that has ended. */
export const credentialsChannel = "slipway_credentials";

/** Why a connected subscriber is no longer authorized. */
export type Revocation = "unauthorized" | "plan_required";

type Watched = {
  headers: IncomingHttpHeaders;
  accountId: string;
  /** The time of the next verification without a notification: the expiry, or shortly after a failure. */
  verifyAt: number;
  onRevoked: Set<(revocation: Revocation) => void>;
};

/** The time after a notification until no process uses an older cached principal. */
const settleMs = principalTtlMs + 100;
/** How often expired credentials and accounts with a notification are verified. */
const tickMs = 200;
const verifyConcurrency = 4;
/** How long after a failure of the database a credential is verified again. */
const retryMs = 1_000;
/** How long a notification applies to connections that are still being opened. */
const notificationTtlMs = 60_000;
const maxNotifications = 10_000;

const getExpiry = ({ expiresAt }: Pick<Subscriber, "expiresAt">) => expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;

/** The headers of a handshake that carry a credential. */
function getCredentialHeaders({ authorization, cookie, origin }: IncomingHttpHeaders): IncomingHttpHeaders {
  return {
    ...(authorization === undefined ? {} : { authorization }),
    ...(cookie === undefined ? {} : { cookie }),
    ...(origin === undefined ? {} : { origin }),
  };
}

/**
 * Verifies connected subscribers again, once for all connections with the same credential: the subscribers of an account when
 * one of its credentials or plans has ended, a credential when it expires, and all subscribers at an interval, because a
 * notification can be lost. Only a refusal revokes a connection; connections stay open while the database does not answer.
 *
 * @param options.listen - Starts to call `wake` with the account of each notification, and with null after a loss.
 */
export function revalidateCredentials(options: {
  verify: VerifySubscriber;
  listen: (wake: (accountId: string | null) => void) => { stop(): Promise<void> };
  clock: Pick<Clock, "sleep" | "now">;
  log: Logger;
  intervalMs: number;
}) {
  const { verify, listen, clock, log, intervalMs } = options;
  const watched = new Map<string, Watched>();
  /** The times to verify notified accounts: after the first notification, and again after the last one. */
  const due = new Map<string, { at: number; lastAt: number }>();
  const notified = createTimedCache<true>({ clock, maxEntries: maxNotifications, ttlMs: notificationTtlMs });
  const limit = pLimit(verifyConcurrency);
  let running: AbortController | null = null;
  /** Ends the pause between two verifications of all subscribers. */
  let verifyAllSoon: () => void = () => undefined;

  const findRevocation = async (one: Watched): Promise<Revocation | null> => {
    try {
      const principal = await verify(one.headers);
      one.verifyAt = getExpiry(principal);
      return principal.accountId === one.accountId ? null : "unauthorized";
    } catch (error) {
      if (error instanceof SlipwayError && errorRow(error.code).fault === "caller") {
        return error.code === "plan_required" ? "plan_required" : "unauthorized";
      }
      log.warn({ err: error }, "credential revalidation failed");
      one.verifyAt = clock.now() + retryMs;
      return null;
    }
  };

  const revalidate = async (one: Watched, signal: AbortSignal) => {
    if (signal.aborted || one.onRevoked.size === 0) return;
    const revocation = await findRevocation(one);
    if (revocation !== null) for (const onRevoked of [...one.onRevoked]) onRevoked(revocation);
  };

  const runAll = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      const pause = new AbortController();
      verifyAllSoon = () => pause.abort();
      signal.addEventListener("abort", verifyAllSoon, { once: true });
      await clock.sleep(intervalMs, pause.signal).catch(() => undefined);
      signal.removeEventListener("abort", verifyAllSoon);
      // After a loss of notifications, older cached principals are still in use.
      if (pause.signal.aborted) await clock.sleep(settleMs, signal).catch(() => undefined);
      for (const one of [...watched.values()]) await revalidate(one, signal);
    }
  };

  const runDue = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      await clock.sleep(tickMs, signal).catch(() => undefined);
      const now = clock.now();
      const accounts = new Set([...due].filter(([, { at }]) => at <= now).map(([accountId]) => accountId));
      for (const accountId of accounts) {
        const { lastAt } = due.get(accountId)!;
        if (lastAt <= now) due.delete(accountId);
        else due.set(accountId, { at: lastAt, lastAt });
      }
      const isDue = ({ accountId, verifyAt }: Watched) => accounts.has(accountId) || verifyAt <= now;
      const found = [...watched.values()].filter(isDue);
      await Promise.all(found.map((one) => limit(() => revalidate(one, signal))));
    }
  };

  const run = async (signal: AbortSignal) => {
    const listener = listen((accountId) => {
      if (accountId === null) return verifyAllSoon();
      notified.set(accountId, true);
      markDue(accountId);
    });
    await Promise.all([runAll(signal), runDue(signal)]);
    await listener.stop();
  };

  const markDue = (accountId: string) => {
    const lastAt = clock.now() + settleMs;
    due.set(accountId, { at: due.get(accountId)?.at ?? lastAt, lastAt });
  };

  return {
    /** @returns A function that ends the revalidation of this connection. */
    watch(
      handshake: IncomingHttpHeaders,
      subscriber: Pick<Subscriber, "accountId" | "expiresAt">,
      onRevoked: (revocation: Revocation) => void,
    ): () => void {
      const headers = getCredentialHeaders(handshake);
      const key = JSON.stringify(headers);
      const { accountId } = subscriber;
      const watchedCredential = watched.get(key) ?? {
        headers,
        accountId,
        verifyAt: getExpiry(subscriber),
        onRevoked: new Set(),
      };
      watched.set(key, watchedCredential);
      watchedCredential.onRevoked.add(onRevoked);
      // A notification arrived during the handshake, before the credential was watched.
      if (notified.has(accountId)) markDue(accountId);
      if (running === null) {
        running = new AbortController();
        void run(running.signal);
      }
      return () => {
        watchedCredential.onRevoked.delete(onRevoked);
        if (watchedCredential.onRevoked.size === 0) watched.delete(key);
        if (watched.size > 0) return;
        running?.abort();
        running = null;
      };
    },
  };
}
