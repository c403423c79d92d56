import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type pg from "pg";
import type { Logger } from "pino";
import {
  findIdentities,
  type ReadServer,
  readServerState,
  type ServerIdentity,
  ServerLost,
  writePrimaryRow,
} from "./readServer.ts";
import type { ReplicaLag, WalPosition } from "./replicaLag.ts";

/** Interval of the checks of all servers. */
const checkMs = 250;
/** How long a read of the newest changes waits for a replica. Longer waits would delay live messages. */
const catchUpMs = 100;
/** Interval of the checks of a replica that is about to catch up. */
const catchUpStepMs = 5;
/** With more lag, no read waits for a replica. */
const keepsUpMs = 1_000;
/** How long a replica whose name leads to several servers is not used. */
const refusedMs = 60_000;
/** How long a replica is not used after a read has waited for a lock there. */
const avoidedMs = 5_000;
/** Interval of the attempts to write the row of the primary. */
const republishMs = 1_000;

/** A replica, as this process knows it. */
export type Replica = ReadServer & {
  lag: ReplicaLag;
  /** The server that the checks reach; null until the next check if a connection has led to another server. */
  identity: ServerIdentity | null;
  /** Whether it receives the changes of the primary that this process uses. */
  followsPrimary: boolean;
  isLate: boolean;
  /** Until this time, the replica is not used: its name leads to several servers, or reads waited for a lock. */
  refusedUntilMs: number;
};

export type ServerFollower = {
  /** Whether a replica answers, has every change that this process has read, and is not too late. */
  isUsable(replica: Replica): boolean;
  /** Whether a replica probably becomes usable by waiting a moment. */
  keepsUp(replica: Replica): boolean;
  /** See `ReplicaLag.getMs`. */
  getLagMs(replica: Replica): number | null;
  /**
   * Reads the position of the primary after changes that this process has read there, and waits a moment for a replica.
   * From then on, a replica is usable only with these changes.
   */
  advance(replica: Replica | null): Promise<void>;
  /**
   * Advances after a repeated reading of changes at the primary. If its last result was equal, this process has read no
   * new change, and requires only what the replica has: the primary can be ahead by commits that wait for a synchronous
   * replica. They are not visible, and the next primary can lack them.
   */
  advanceAfter(reading: object, result: unknown, replica: Replica | null): Promise<void>;
  /** From now on, a replica is usable only with the last known changes of this replica. */
  requireChangesOf(replica: Replica): void;
  /**
   * Stops to use a replica whose connection led to another server than the checks: until the next check, because the
   * server may have restarted; for a minute if its name leads to several servers.
   */
  refuse(replica: Replica): void;
  /** Stops to use a replica for some seconds, because a read has waited for a lock: the next reads would wait too. */
  avoid(replica: Replica): void;
  /** The time of a monotonic clock: a step of the machine's clock must not change a lag. */
  nowMs(): number;
  stop(): void;
};

function noteUp(server: ReadServer, label: string, log: Logger): void {
  if (server.isUp === false) log.info({ server: server.name }, `${label} database answers`);
  server.isUp = true;
}

/** Stores that a server is down, and moves the reads in progress there to other servers. */
function noteDown(server: ReadServer, label: string, log: Logger, error: unknown): void {
  if (server.isUp !== false) log.warn({ err: error, server: server.name }, `${label} database does not answer`);
  server.isUp = false;
  for (const abandon of server.abandon) abandon();
}

/** Stores and logs whether a replica is late. */
function noteLate(replica: Replica, lagMs: number | null, { maxLagMs, log }: { maxLagMs: number; log: Logger }): void {
  const wasLate = replica.isLate;
  replica.isLate = replica.isUp === true && lagMs !== null && lagMs > maxLagMs;
  const fields = { server: replica.name, lagMs: Math.round(lagMs ?? 0) };
  if (replica.isLate && !wasLate) log.warn(fields, "replica is too far behind the primary");
  if (!replica.isLate && wasLate && replica.isUp) log.info(fields, "replica has caught up with the primary");
}

function refuseUntil(replica: Replica, timeMs: number): void {
  replica.refusedUntilMs = Math.max(replica.refusedUntilMs, timeMs);
}

/** Ends the connection of a replica's checks. The next check opens one to the server that the name leads to then. */
function forgetServer(replica: Replica): void {
  replica.identity = null;
  const close = async () => (await replica.checks.connect()).release(true);
  void close().catch(() => undefined);
}

/** Refuses a replica for a time if its name leads to several servers. */
async function refuseSeveralServers(
  replica: Replica,
  log: Logger,
  refuseForMs: (durationMs: number) => void,
): Promise<void> {
  if ((await findIdentities(replica.pool.options)).size <= 1) return;
  const text = "DATABASE_READ_URL: a name leads to several servers; name each replica, separated by commas";
  log.error({ server: replica.name }, text);
  refuseForMs(refusedMs);
}

/**
 * Checks a primary and its replicas repeatedly, and changes their `isUp`.
 *
 * @param options.maxLagMs - The maximum lag of a usable replica.
 * @param options.onChecked - Called after each check of all servers.
 */
export function followServers(options: {
  primary: ReadServer;
  replicas: readonly Replica[];
  maxLagMs: number;
  log: Logger;
  onChecked: () => Promise<void>;
}): ServerFollower {
  const { primary, replicas, maxLagMs, log } = options;
  const stopped = new AbortController();
  const nowMs = () => Number(process.hrtime.bigint() / 1_000n) / 1_000;
  /** Every read of this process includes the changes before this position; null before the primary's first answer. */
  let required: WalPosition | null = null;
  /** The primary whose positions `required` and all lags mean. */
  let identity: ServerIdentity | null = null;
  let publishedAtMs = Number.NEGATIVE_INFINITY;
  /** The last results of this primary, by reading. */
  let results = new WeakMap<object, unknown>();

  const getLagMs = ({ lag }: Replica) => lag.getMs(nowMs(), primary.isUp === true);
  const canFollow = ({ isUp, identity: reached, followsPrimary, refusedUntilMs }: Replica) =>
    isUp === true && reached !== null && followsPrimary && nowMs() >= refusedUntilMs;
  const isUsable = (replica: Replica) => {
    const lagMs = getLagMs(replica);
    if (!canFollow(replica)) return false;
    return required !== null && replica.lag.replayed >= required && lagMs !== null && lagMs <= maxLagMs;
  };
  const keepsUp = (replica: Replica) => canFollow(replica) && (getLagMs(replica) ?? keepsUpMs) < keepsUpMs;

  const publishPrimary = async () => {
    if (nowMs() - publishedAtMs < republishMs) return;
    publishedAtMs = nowMs();
    // Without the row, for example at a read-only primary, no replica is used.
    await writePrimaryRow(primary.checks).catch((error) => log.warn({ err: error }, "replicas cannot be used"));
  };

  /** @throws An error if the server does not answer within the timeouts of `db`, or is a replica. */
  const readPrimaryPosition = async (db: pg.Pool): Promise<WalPosition> => {
    const startedAtMs = nowMs();
    const state = await readServerState(db);
    if (state.isReplica) throw new ServerLost("the server of DATABASE_URL is a replica");
    // Another primary may lack the last changes, and counts them differently.
    if (state.identity !== identity) {
      if (identity !== null) log.warn("primary database is another server, or has restarted");
      identity = state.identity;
      required = null;
      results = new WeakMap();
      for (const replica of replicas) {
        replica.lag.reset();
        replica.followsPrimary = false;
      }
    }
    for (const { lag } of replicas) lag.notePrimary(state.position, startedAtMs);
    required ??= state.position;
    if (state.primary !== identity) await publishPrimary();
    return state.position;
  };

  const readReplicaPosition = async (replica: Replica) => {
    const state = await readServerState(replica.checks);
    replica.identity = state.identity;
    replica.lag.noteReplica(state.position);
    if (state.primary === identity) replica.followsPrimary = state.isReplica && state.hasReceived;
    // While no primary answers, the replica may already receive the changes of the next one.
    else if (primary.isUp) replica.followsPrimary = false;
  };

  const check = async (server: ReadServer, label: string, read: () => Promise<unknown>) => {
    try {
      await read();
      noteUp(server, label, log);
    } catch (error) {
      if (!stopped.signal.aborted) noteDown(server, label, log, error);
    }
  };
  const follow = async () => {
    while (!stopped.signal.aborted) {
      await Promise.all([
        check(primary, "primary", () => readPrimaryPosition(primary.checks)),
        ...replicas.map((replica) => check(replica, "replica", () => readReplicaPosition(replica))),
      ]);
      for (const replica of replicas) noteLate(replica, getLagMs(replica), { maxLagMs, log });
      await options.onChecked();
      await sleep(checkMs, undefined, { signal: stopped.signal, ref: false }).catch(() => undefined);
    }
  };
  void follow();

  /** Waits a moment for a replica, so that the reads after a change need not use the primary. */
  const catchUp = async (replica: Replica, position: WalPosition) => {
    const deadlineMs = nowMs() + catchUpMs;
    while (replica.lag.replayed < position && keepsUp(replica) && nowMs() < deadlineMs) {
      await readReplicaPosition(replica).catch(() => undefined);
      if (replica.lag.replayed < position) await sleep(catchUpStepMs);
    }
  };

  const requirePosition = (position: WalPosition) => {
    required = Math.max(required ?? 0, position);
  };
  const advanceAt = async (db: pg.Pool, replica: Replica | null) => {
    const position = await readPrimaryPosition(db);
    if (replica !== null) await catchUp(replica, position);
    requirePosition(position);
  };

  return {
    isUsable,
    keepsUp,
    getLagMs,
    advance: (replica) => advanceAt(primary.checks, replica),
    // A request that has its rows from a slow primary must not fail for the short timeout of checks.
    advanceAfter: async (reading, result, replica) => {
      if (results.has(reading) && isDeepStrictEqual(results.get(reading), result)) {
        const position = await readPrimaryPosition(primary.pool);
        if (replica !== null && replica.lag.replayed >= position) requirePosition(position);
        return;
      }
      await advanceAt(primary.pool, replica);
      results.set(reading, result);
    },
    requireChangesOf: ({ lag, followsPrimary }) => {
      if (followsPrimary && required !== null) requirePosition(lag.replayed);
    },
    refuse: (replica) => {
      if (replica.identity === null) return;
      forgetServer(replica);
      const refuseForMs = (durationMs: number) => refuseUntil(replica, nowMs() + durationMs);
      void refuseSeveralServers(replica, log, refuseForMs).catch(() => undefined);
    },
    avoid: (replica) => refuseUntil(replica, nowMs() + avoidedMs),
    nowMs,
    stop: () => stopped.abort(),
  };
}
