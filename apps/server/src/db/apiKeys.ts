import type { Queryable } from "./database.ts";

export type ApiKeyRow = { id: string; account_id: string; scopes: string[] };

/** The key of this SHA-256 if it may be used now, else null. */
export async function findApiKey(db: Queryable, hash: Uint8Array): Promise<ApiKeyRow | null> {
  const { rows } = await db.query<ApiKeyRow>(
    `select id, account_id, scopes from app.api_keys
     where hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())`,
    [hash],
  );
  return rows[0] ?? null;
}

/** Records a key's last use, to the minute: a hot key is not written on every request. */
export async function touchApiKey(db: Queryable, id: string): Promise<void> {
  await db.query(
    `update app.api_keys set last_used_at = now()
     where id = $1 and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
    [id],
  );
}
