import { scope } from "@slipway/protocol/accounts";
import { createAccount } from "@slipway/server/accounts/accounts";
import { createApiKeySecret, revokeApiKey } from "@slipway/server/accounts/apiKeys";
import { createIds } from "@slipway/server/createIds";
import { systemClock } from "@slipway/server/systemClock";
import pg from "pg";

const ids = createIds(systemClock);

/** A key with every scope, of a separate account, created like an operator's key. */
export type AdminKey = { key: string; revoke: () => Promise<void> };

/** @returns null without the database. */
export async function createAdminKey(databaseUrl: string | undefined): Promise<AdminKey | null> {
  if (databaseUrl === undefined) return null;
  const { key, hash, prefix } = createApiKeySecret(ids);
  const account = { accountId: ids.uuid(), name: "operator", keyId: ids.uuid(), keyName: "every scope" };
  const withPool = async (work: (pool: pg.Pool) => Promise<unknown>) => {
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
    // A client still receives the database's shutdown message while it is being closed.
    pool.on("error", () => undefined);
    try {
      await work(pool);
    } finally {
      await pool.end();
    }
  };
  await withPool((pool) => createAccount(pool, { ...account, hash, prefix, scopes: scope.options }));
  return { key, revoke: () => withPool((pool) => revokeApiKey(pool, account.keyId, null)) };
}
