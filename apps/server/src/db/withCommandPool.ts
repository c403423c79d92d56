import pg from "pg";
import { connectOrExplain } from "./explainDatabaseError.ts";
import { surviveLostConnections } from "./surviveLostConnections.ts";

/**
 * Runs an operator's command over one connection to the database of `DATABASE_URL`, and closes it afterwards.
 *
 * @throws ConfigError if the database does not accept the connection; otherwise the error of `run`. A statement fails
 *   if its connection is lost.
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
