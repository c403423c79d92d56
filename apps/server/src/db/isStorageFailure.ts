/** What passes by itself: PostgreSQL's connection, resource and rollback failures by SQLSTATE, node-postgres's by text. */
export function isStorageFailure(error: Error & { code?: string }): boolean {
  if (/^(08|40|53|57|25006|58)/.test(error.code ?? "") && /^[0-9A-Z]{5}$/.test(error.code ?? "")) return true;
  if (["ECONNREFUSED", "ECONNRESET", "ENOENT", "EPIPE", "ETIMEDOUT"].includes(error.code ?? "")) return true;
  return /timeout exceeded when trying to connect|Connection terminated|connection error and is not queryable|after calling end on the pool/.test(
    error.message,
  );
}
