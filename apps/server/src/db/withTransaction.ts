import type pg from "pg";
import type { Client } from "./database.ts";

/** Serialization failure, deadlock: the database asks for another try. */
const retryableStates = new Set(["40001", "40P01"]);

/**
 * Runs `work` in one transaction; rolls back when it throws. A serialization failure or deadlock is tried again,
 * `attempts` times at the most, so `work` must have no effect outside the transaction.
 */
export async function withTransaction<T>(
  pool: pg.Pool,
  work: (client: Client) => Promise<T>,
  attempts = 5,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const client = await pool.connect();
    let broken: Error | undefined;
    // A connection that ends between two statements says so by an event; without a listener it would end the process.
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
      // A broken connection is thrown away, and may complain once more on its way.
      if (!broken) client.removeListener("error", onError);
      client.release(broken);
    }
  }
}
