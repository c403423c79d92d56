import { createHash } from "node:crypto";
import { defaultKeyScopes, type Scope } from "@slipway/protocol/accounts";
import { apiKeyPrefix } from "@slipway/protocol/credentialNames";
import type pg from "pg";
import type { Queryable } from "../db/database.ts";
import { withTransaction } from "../db/withTransaction.ts";
import { recordAccountEvent } from "./accountEvents.ts";

export type NewApiKey = {
  keyId: string;
  accountId: string;
  name: string;
  hash: Uint8Array;
  prefix: string;
  /** Empty: the scopes of `defaultKeyScopes`. */
  scopes?: readonly Scope[] | undefined;
  expiresInDays?: number | undefined;
  /**
   * The operator, or the wallet that opened the session that creates the key: unlinking that wallet revokes the key.
   * Null if the session's wallet is unknown: unlinking any wallet revokes the key.
   */
  createdBy: typeof operator | `0x${string}` | null;
};

/** The stored wallet of a key that the operator created. */
const operator = "operator";

export type ApiKeyRow = {
  id: string;
  account_id: string;
  name: string;
  prefix: string;
  scopes: Scope[];
  created_at: Date;
  last_used_at: Date | null;
  expires_at: Date | null;
};

const columns = "id, account_id, name, prefix, scopes, created_at, last_used_at, expires_at";
const usable = "revoked_at is null and (expires_at is null or expires_at > now())";

/** Maximum usable keys of an account. */
export const maxKeys = 100;

/** Stores a key by its hash; null when the account does not exist or already has {@link maxKeys} usable keys. */
export async function insertApiKey(client: Queryable, key: NewApiKey): Promise<ApiKeyRow | null> {
  const { rows } = await client.query<ApiKeyRow>(
    `insert into app.api_keys (id, account_id, hash, name, prefix, scopes, expires_at, wallet)
     select $1, id, $3, $4, $5, $6, now() + make_interval(days => $7::int), $8 from app.accounts
     where id = $2 and deleted_at is null and (select count(*) from app.api_keys where account_id = $2 and ${usable}) < ${maxKeys}
     for key share
     returning ${columns}`,
    [
      ...[key.keyId, key.accountId, key.hash, key.name, key.prefix, key.scopes ?? []],
      ...[key.expiresInDays ?? null, key.createdBy],
    ],
  );
  const row = rows[0];
  if (row === undefined) return null;
  const granted = row.scopes.length === 0 ? defaultKeyScopes : row.scopes;
  const details = { key_id: row.id, name: row.name, scopes: granted.join(" ") };
  await recordAccountEvent(client, row.account_id, "key_created", details);
  return row;
}

/** Finds the usable key with this SHA-256; null without one. */
export async function findApiKey(
  db: Queryable,
  hash: Uint8Array,
): Promise<Pick<ApiKeyRow, "id" | "account_id" | "scopes" | "expires_at"> | null> {
  const { rows } = await db.query<ApiKeyRow>(
    `select id, account_id, scopes, expires_at from app.api_keys where hash = $1 and ${usable}`,
    [hash],
  );
  return rows[0] ?? null;
}

/** Lists the usable keys of an account, newest first. */
export async function listApiKeys(db: Queryable, accountId: string): Promise<ApiKeyRow[]> {
  const { rows } = await db.query<ApiKeyRow>(
    `select ${columns} from app.api_keys where account_id = $1 and ${usable} order by created_at desc, id desc`,
    [accountId],
  );
  return rows;
}

/**
 * Revokes a key.
 *
 * @param accountId - The account that must own the key; null for the operator, who may revoke any key.
 * @returns False when no usable key has this id.
 */
export async function revokeApiKey(pool: pg.Pool, keyId: string, accountId: string | null): Promise<boolean> {
  return await withTransaction(pool, async (client) => {
    const { rows } = await client.query<{ account_id: string; name: string }>(
      `update app.api_keys set revoked_at = now()
       where id = $1 and revoked_at is null and ($2::uuid is null or account_id = $2) returning account_id, name`,
      [keyId, accountId],
    );
    const row = rows[0];
    if (row === undefined) return false;
    await recordAccountEvent(client, row.account_id, "key_revoked", { key_id: keyId, name: row.name });
    return true;
  });
}

/**
 * Revokes the keys that sessions of a wallet of the account created, and the keys of earlier versions, whose creating
 * wallet is unknown and may be this one. Returns the number of revoked keys.
 */
export async function revokeKeysOfWallet(db: Queryable, accountId: string, wallet: string): Promise<number> {
  const { rowCount } = await db.query(
    `update app.api_keys set revoked_at = now()
     where account_id = $1 and (wallet is null or wallet = lower($2)) and revoked_at is null`,
    [accountId, wallet],
  );
  return rowCount ?? 0;
}

/** Records a key's last use, to the minute, so that a frequently used key is not written on every request. */
export async function touchApiKey(db: Queryable, id: string): Promise<void> {
  await db.query(
    `update app.api_keys set last_used_at = now()
     where id = $1 and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
    [id],
  );
}

/** A key, which is shown once, and its stored fields. */
export type ApiKeySecret = {
  key: string;
  hash: Uint8Array;
  /** The first characters, which identify the key to its owner. */
  prefix: string;
};

/** Returns the stored SHA-256 of a key. A key's 256 random bits need no salt and no slow hash. */
export function hashApiKey(key: string): Uint8Array {
  return createHash("sha256").update(key).digest();
}

/** Creates a key. */
export function createApiKeySecret(ids: { bytes(length: number): Uint8Array }): ApiKeySecret {
  const key = `${apiKeyPrefix}${Buffer.from(ids.bytes(32)).toString("base64url")}`;
  return { key, hash: hashApiKey(key), prefix: key.slice(0, apiKeyPrefix.length + 4) };
}
