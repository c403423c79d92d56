import type pg from "pg";

const deadlockDetected = "40P01";

/**
 * Repeats a statement of a pool once if PostgreSQL has undone the statement to end a deadlock. A read of several tables and
 * the replacement of the index, which locks the same tables, can wait for each other.
 */
export function repeatDeadlocks<P extends pg.Pool>(pool: P): P {
  const query = pool.query.bind(pool) as (...parameters: unknown[]) => Promise<unknown>;
  const queryAgain = async (...parameters: unknown[]) => {
    try {
      return await query(...parameters);
    } catch (error) {
      if ((error as { code?: string }).code !== deadlockDetected) throw error;
      return await query(...parameters);
    }
  };
  pool.query = queryAgain as P["query"];
  return pool;
}
