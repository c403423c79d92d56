import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Replica, ServerFollower } from "./followServers.ts";
import type { ReadServer } from "./readServer.ts";

/** How long reads may wait until the reads in progress have ended, before they move to a replica. */
const pauseMs = 250;
const pauseStepMs = 2;
/** Bounds of the time from a failed attempt to move reads until the next one; it doubles with each failure. */
const minRetryMs = 250;
const maxRetryMs = 8_000;
/** How often a process tries to return to the replica that it prefers. */
const preferMs = 60_000;

/** The replica that the reads of a process use. */
export type ReplicaChoice = {
  /** Null: the primary. */
  get(): Replica | null;
  /** Resolves when reads may begin: immediately, unless they are moving to a replica. */
  untilResumed(): Promise<void>;
  /** Chooses again, after each check of the servers. */
  update(): Promise<void>;
};

/**
 * Uses one replica until it is no longer usable, and then the primary, until a replica has everything that the responses
 * of the primary contain.
 *
 * @param options.replicas - The preferred one first.
 */
export function createReplicaChoice(options: {
  primary: ReadServer;
  replicas: readonly Replica[];
  getFollower: () => ServerFollower;
  log: Logger;
}): ReplicaChoice {
  const { primary, replicas, getFollower, log } = options;
  let used: Replica | null = null;
  /** Set while reads wait. */
  let pause: Promise<void> | null = null;
  let failures = 0;
  let retryAtMs = 0;
  let preferAtMs = 0;

  const get = () => {
    const follower = getFollower();
    if (used !== null && !follower.isUsable(used)) {
      // Matters if the primary is down too: the next replica must have what this one has shown.
      follower.requireChangesOf(used);
      log.info({ server: used.name }, "reads use the primary: the replica is down or late");
      used = null;
    }
    return used;
  };

  /** Moves reads to a replica if it has everything that earlier responses contain. Reads wait meanwhile. */
  const moveTo = async (replica: Replica): Promise<boolean> => {
    const follower = getFollower();
    const resumed = Promise.withResolvers<void>();
    pause = resumed.promise;
    try {
      const from = used ?? primary;
      const deadlineMs = follower.nowMs() + pauseMs;
      while (from.reading > 0 && follower.nowMs() < deadlineMs) await sleep(pauseStepMs);
      if (from.reading > 0) return false;
      if (primary.isUp) await follower.advance(replica);
      if (!follower.isUsable(replica)) return false;
      used = replica;
      log.info({ server: replica.name }, "reads use a replica");
      return true;
    } catch {
      // The primary does not answer; the next check finds it down.
      return false;
    } finally {
      pause = null;
      resumed.resolve();
    }
  };

  return {
    get,
    untilResumed: async () => {
      while (pause !== null) await pause;
    },
    update: async () => {
      const follower = getFollower();
      const nowMs = follower.nowMs();
      const current = get();
      if (nowMs < retryAtMs || (current !== null && nowMs < preferAtMs)) return;
      const candidates = replicas.filter(primary.isUp ? follower.keepsUp : follower.isUsable);
      const replica = candidates[failures % candidates.length];
      if (replica === undefined || replica === current) return;
      preferAtMs = nowMs + preferMs;
      failures = (await moveTo(replica)) ? 0 : failures + 1;
      retryAtMs = failures === 0 ? 0 : nowMs + Math.min(maxRetryMs, minRetryMs * 2 ** (failures - 1));
    },
  };
}
