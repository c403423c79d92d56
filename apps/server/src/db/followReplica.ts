import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { Logger } from "pino";
import { ReplicaLag, type WalPosition } from "./replicaLag.ts";

/** Interval of the checks of both servers. */
const checkMs = 250;
/** How long a read of the newest changes waits for the replica. Longer waits would delay live messages. */
const catchUpMs = 100;
/** Interval of the checks of a replica that is about to catch up. */
const catchUpStepMs = 5;
/** With more lag, no read waits for the replica. */
const keepsUpMs = 1_000;

/**
 * Reads the flushed position of a primary, or the last position that a replica replayed. A commit is visible only after
 * its flush, unless `synchronous_commit` is off. Positions that are not flushed may never reach the replica.
 */
const positionSql = `
  select pg_is_in_recovery() as is_replica,
    (case when pg_is_in_recovery() then coalesce(pg_last_wal_replay_lsn(), '0/0') else pg_current_wal_flush_lsn() end
      - '0/0'::pg_lsn)::float8 as position`;

/** A server, as the last check found it. */
export type Server = {
  pool: pg.Pool;
  /** One connection with short timeouts, on which checks do not wait for requests. */
  checks: pg.Pool;
  /** Null before the first check. */
  isUp: boolean | null;
  /** Called with an error when the server is found down: the queries in progress are then repeated at the other server. */
  abandon: Set<(error: Error) => void>;
};

/** Thrown in place of the answer of a server that is down. */
export class ServerLost extends Error {
  override name = "ServerLost";
  /** SQLSTATE connection_failure. */
  readonly code = "08006";
}

/** The state of a primary and its replica, as this process knows it. */
export type ReplicaFollower = {
  /** Whether the replica answers, has every change that this process has read, and is not too late. */
  isUsable(): boolean;
  /** See `ReplicaLag.getMs`. */
  getLagMs(): number | null;
  /**
   * Reads the position of the primary after changes that this process has read there, and waits a moment for the
   * replica. From then on, the replica is usable only with these changes.
   */
  advance(): Promise<void>;
  stop(): void;
};

/**
 * Checks a primary and its replica repeatedly, and changes `isUp` of both.
 *
 * @param options.maxLagMs - The maximum lag of a usable replica.
 */
export function followReplica(options: {
  primary: Server;
  replica: Server;
  maxLagMs: number;
  log: Logger;
}): ReplicaFollower {
  const { primary, replica, maxLagMs, log } = options;
  const lag = new ReplicaLag();
  const stopped = new AbortController();
  // Monotonic: a step of the machine's clock must not change a lag.
  const now = () => Number(process.hrtime.bigint() / 1_000n) / 1_000;
  /** Every read of this process includes the changes before this position; null before the primary's first answer. */
  let required: WalPosition | null = null;
  let lastPrimary = { position: 0, receivedAtMs: 0 };
  let isLate = false;

  const getLagMs = () => lag.getMs(now(), primary.isUp === true);
  const isUsable = () => {
    const lagMs = getLagMs();
    if (!replica.isUp || required === null || lagMs === null || lagMs > maxLagMs) return false;
    return lag.replayed >= required;
  };

  /** @throws An error if the server does not answer, or is a replica. */
  const readPrimaryPosition = async (pool: pg.Pool): Promise<WalPosition> => {
    const startedAtMs = now();
    const { rows } = await pool.query<{ is_replica: boolean; position: number }>(positionSql);
    const { is_replica: isReplica, position } = rows[0]!;
    if (isReplica) throw new ServerLost("the server of DATABASE_URL is a replica");
    // A promoted replica, or a primary that crashed, may lack the last changes: all positions are counted anew.
    if (position < lastPrimary.position && startedAtMs > lastPrimary.receivedAtMs) {
      log.warn("primary database is at an earlier position than before");
      lag.reset();
      required = null;
      lastPrimary.position = 0;
    }
    if (position >= lastPrimary.position) lastPrimary = { position, receivedAtMs: now() };
    lag.notePrimary(position, startedAtMs);
    required ??= position;
    return position;
  };

  const readReplicaPosition = async () => {
    const { rows } = await replica.checks.query<{ position: number }>(positionSql);
    lag.noteReplica(rows[0]!.position);
  };

  const check = async (name: "primary" | "replica", server: Server, readPosition: () => Promise<unknown>) => {
    try {
      await readPosition();
      if (server.isUp === false) log.info(`${name} database answers`);
      server.isUp = true;
    } catch (error) {
      if (stopped.signal.aborted) return;
      if (server.isUp !== false) log.warn({ err: error }, `${name} database does not answer`);
      server.isUp = false;
      for (const abandon of server.abandon) abandon(new ServerLost(`the ${name} database does not answer`));
    }
  };
  const checkAll = async () => {
    await Promise.all([
      check("primary", primary, () => readPrimaryPosition(primary.checks)),
      check("replica", replica, readReplicaPosition),
    ]);
    const lagMs = getLagMs();
    const wasLate = isLate;
    isLate = replica.isUp === true && lagMs !== null && lagMs > maxLagMs;
    if (isLate && !wasLate) log.warn({ lagMs: Math.round(lagMs!) }, "replica is too far behind the primary");
    if (!isLate && wasLate && replica.isUp) log.info("replica has caught up with the primary");
  };
  const follow = async () => {
    while (!stopped.signal.aborted) {
      await checkAll();
      await sleep(checkMs, undefined, { signal: stopped.signal, ref: false }).catch(() => undefined);
    }
  };
  void follow();

  /** Waits a moment for the replica, so that the reads after a change need not use the primary. */
  const catchUp = async (position: WalPosition) => {
    const deadlineMs = now() + catchUpMs;
    const isWorthwhile = () => replica.isUp === true && (getLagMs() ?? keepsUpMs) < keepsUpMs && now() < deadlineMs;
    while (lag.replayed < position && isWorthwhile()) {
      await readReplicaPosition().catch(() => undefined);
      if (lag.replayed < position) await sleep(catchUpStepMs);
    }
  };

  return {
    isUsable,
    getLagMs,
    advance: async () => {
      const position = await readPrimaryPosition(primary.pool);
      await catchUp(position);
      required = Math.max(required ?? 0, position);
    },
    stop: () => stopped.abort(),
  };
}
