import type pg from "pg";
import type { Logger } from "pino";
import { advisoryLocks } from "../../db/advisoryLocks.ts";

/** The right to write the index, while its database connection is open. */
export type Leadership = {
  /** Aborts when the connection that holds the lock is lost. */
  lost: AbortSignal;
  release(): Promise<void>;
};

/** Tries to become the leader; null when another process is the leader. */
export async function tryLead(pool: pg.Pool, log: Logger): Promise<Leadership | null> {
  const client = await pool.connect();
  const { rows } = await client
    // A former primary that has become a replica has advisory locks of its own.
    .query<{ leads: boolean }>(
      "select case when pg_catalog.pg_is_in_recovery() then false else pg_try_advisory_lock($1) end as leads",
      [advisoryLocks.indexLeader],
    )
    .catch((error: Error) => {
      client.release(error);
      throw error;
    });
  if (!rows[0]!.leads) {
    client.release();
    return null;
  }
  log.info("indexer became the leader");
  const lost = new AbortController();
  let isOpen = true;
  const onLoss = (error?: Error) => {
    if (!isOpen) return;
    isOpen = false;
    log.warn({ err: error }, "indexer leadership lost");
    lost.abort(new Error("leadership lost"));
    client.release(error ?? true);
  };
  client.on("error", onLoss);
  client.on("end", onLoss);
  return {
    lost: lost.signal,
    release: async () => {
      if (!isOpen) return;
      isOpen = false;
      // Closing the session releases the lock in any state of the connection.
      client.release(true);
    },
  };
}

/** Acquires the next fencing token. All later commits of earlier leaders fail. */
export async function acquireFencingToken(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ fence: number }>("update chain.checkpoint set fence = fence + 1 returning fence");
  return rows[0]!.fence;
}
