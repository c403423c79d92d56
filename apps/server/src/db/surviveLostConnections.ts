import type pg from "pg";

/**
 * Keeps the process alive when a connection of a pool closes: without a listener, the error of a connection ends the
 * process. The pool replaces an idle connection. The statement of a connection in use fails, and its caller handles that.
 *
 * Listens from the moment that a connection exists, because PostgreSQL can accept a connection and close it in one packet,
 * before the caller of `pool.connect()` receives the client.
 *
 * @param onIdleLoss - Called when an idle connection closes.
 * @returns the pool
 */
export function surviveLostConnections<P extends pg.Pool>(pool: P, onIdleLoss?: (error: Error) => void): P {
  pool.on("error", (error) => onIdleLoss?.(error));
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}
