import type pg from "pg";
import type { Client } from "./database.ts";

/** Serialization failure, deadlock. */
const retryableStates = new Set(["40001", "40P01"]);

/**
 * Runs `work` in one transaction; rolls back when it throws. Retries a serialization failure or deadlock, up to
 * `attempts` attempts, so `work` must have no effect outside the transaction.
 */
export async function withTransaction<T>(
  pool: pg.Pool,
  work: (client: Client) => Promise<T>,
  attempts = 5,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const client = await pool.connect();
    let broken: Error | undefined;
    // A connection that closes between two statements emits an error, which would end the process without a listener.
    const onError = (error: Error) => {
      broken = error;
    };
    client.on("error", onError);
    try {
      await client.query("begin");
      const result = await work(client);
      await client.query("commit");
      return result;
    } catch (error) {
      await client.query("rollback").catch((failure: Error) => {
        broken = failure;
      });
      const state = (error as { code?: string }).code ?? "";
      if (!retryableStates.has(state) || attempt >= attempts) throw error;
    } finally {
      // A broken connection keeps its listener when it is discarded, because it may emit another error.
      if (!broken) client.removeListener("error", onError);
      client.release(broken);
    }
  }
}
