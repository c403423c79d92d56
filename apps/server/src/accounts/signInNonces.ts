import type { Queryable } from "../db/database.ts";

/** When a nonce was issued, in full precision. */
export type NonceRow = { created_at: string };

/** The key by which the sign-in library consumes a nonce. */
const toIdentifier = (nonce: string) => `siwe:${nonce}`;

/**
 * Stores a nonce of a sign-in message for 15 minutes.
 *
 * @param browserHash - SHA-256 of the cookie of the browser that requested the nonce, in hex.
 */
export async function insertNonce(
  db: Queryable,
  row: { id: string; nonce: string; browserHash: string },
): Promise<void> {
  await db.query(
    `insert into app.verifications (id, identifier, value, expires_at)
     values ($1, $2, $3, now() + interval '15 minutes')`,
    [row.id, toIdentifier(row.nonce), row.browserHash],
  );
}

/** Finds an unused nonce that one of these browsers requested; null without one. Does not consume the nonce. */
export async function findNonce(
  db: Queryable,
  nonce: string,
  browserHashes: readonly string[],
): Promise<NonceRow | null> {
  const { rows } = await db.query<NonceRow>(
    `select created_at::text from app.verifications
     where identifier = $1 and value = any($2) and expires_at > now()`,
    [toIdentifier(nonce), browserHashes],
  );
  return rows[0] ?? null;
}

/** Consumes a nonce; false when another request has already consumed it. */
export async function consumeNonce(db: Queryable, nonce: string): Promise<boolean> {
  const { rowCount } = await db.query("delete from app.verifications where identifier = $1", [toIdentifier(nonce)]);
  return rowCount === 1;
}
