import pg from "pg";
import { connectOrExplain } from "./explainDatabaseError.ts";
import { surviveLostConnections } from "./surviveLostConnections.ts";

/**
 * Runs an operator's command over one connection to the database of `DATABASE_URL`, and closes it afterwards.
 *
 * If the connection is lost, the current statement fails, and the next query of the pool opens a new connection.
 *
 * @throws ConfigError if the database does not accept the connection; otherwise the error of `run`.
 */
export async function withCommandPool<T>(connectionString: string, run: (pool: pg.Pool) => Promise<T>): Promise<T> {
  const pool = surviveLostConnections(new pg.Pool({ connectionString, max: 1 }));
  try {
    (await connectOrExplain("DATABASE_URL", connectionString, pool)).release();
    return await run(pool);
  } finally {
    await pool.end();
  }
}
