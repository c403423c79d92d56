import { NoFreeConnection } from "./requestPool.ts";

/**
 * Whether an error is temporary: a failure of a connection, a resource, a lock or a transaction, by its SQLSTATE or
 * node-postgres's message.
 */
export function isStorageFailure(error: Error & { code?: string }): boolean {
  if (error instanceof NoFreeConnection) return true;
  if (/^(08|40|53|55P03|57|25006|58)/.test(error.code ?? "") && /^[0-9A-Z]{5}$/.test(error.code ?? "")) return true;
  if (["ECONNREFUSED", "ECONNRESET", "ENOENT", "EPIPE", "ETIMEDOUT"].includes(error.code ?? "")) return true;
  return /timeout exceeded when trying to connect|Query read timeout|Connection terminated|connection error and is not queryable|after calling end on the pool/.test(
    error.message,
  );
}
