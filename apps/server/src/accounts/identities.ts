import type { Queryable } from "../db/database.ts";
import { withTransaction } from "../db/withTransaction.ts";
import { recordAccountEvent } from "./accountEvents.ts";
import { lockAccount } from "./accounts.ts";
import { revokeKeysOfWallet } from "./apiKeys.ts";
import { endOAuthFlows, endSessionsOfWallet } from "./sessions.ts";
import type pg from "pg";

export type WalletRow = { address: string; created_at: Date };
export type ConnectionRow = { provider: "code_host" | "social"; id: string; handle: string | null; linked_at: Date };

/** Lists the wallets of an account, checksummed, in the order in which they were linked. */
export async function listWallets(db: Queryable, accountId: string): Promise<WalletRow[]> {
  const { rows } = await db.query<WalletRow>(
    "select address, created_at from app.wallets where user_id = $1 order by created_at, id",
    [accountId],
  );
  return rows;
}

/** Lists the account's identities at the code host and the social network, with the handle seen last. */
export async function listConnections(db: Queryable, accountId: string): Promise<ConnectionRow[]> {
  const { rows } = await db.query<ConnectionRow>(
    `select i.provider_id as provider, i.account_id as id, h.handle, i.created_at as linked_at
     from app.identities i
     left join app.provider_handles h on h.provider_id = i.provider_id and h.account_id = i.account_id
     where i.user_id = $1 and i.provider_id in ('code_host', 'social') order by i.created_at, i.id`,
    [accountId],
  );
  return rows;
}

/** Unlinks an identity; false when there is none. */
export async function unlinkConnection(pool: pg.Pool, accountId: string, provider: string): Promise<boolean> {
  return await withTransaction(pool, async (client) => {
    const { rows } = await client.query<{ account_id: string }>(
      "delete from app.identities where user_id = $1 and provider_id = $2 returning account_id",
      [accountId, provider],
    );
    const row = rows[0];
    if (row === undefined) return false;
    await recordAccountEvent(client, accountId, "connection_unlinked", { provider, id: row.account_id });
    return true;
  });
}

/**
 * Records the handle that a provider returned for one of its accounts, and deletes it from its former owner.
 *
 * @param seen.id - The provider's own id.
 */
export async function recordHandle(
  db: Queryable,
  seen: { provider: string; id: string; handle: string },
): Promise<void> {
  await db.query(
    `with lost as (
       delete from app.provider_handles where provider_id = $1 and lower(handle) = lower($3) and account_id <> $2
       returning 1
     )
     insert into app.provider_handles (provider_id, account_id, handle)
     select $1, $2, $3 from (select count(*) from lost) as gone_first
     on conflict (provider_id, account_id) do update set handle = excluded.handle, seen_at = now()`,
    [seen.provider, seen.id, seen.handle],
  );
}

/**
 * Links a wallet to an account. An account that the operator created gets its row in app.users, with which it signs in.
 *
 * @param wallet.address - Checksummed.
 * @returns `taken` when it belongs to another account.
 */
export async function linkWallet(
  client: Queryable,
  wallet: { id: string; identityId: string; accountId: string; address: string; chainId: number },
): Promise<WalletRow | "taken"> {
  const { rows } = await client.query<WalletRow & { user_id: string; is_new: boolean }>(
    `with owner as (
       insert into app.users (id, name, email)
       select id, name, id::text || '@account.invalid' from app.accounts where id = $3 and deleted_at is null
       on conflict (id) do nothing
     ), added as (
       insert into app.wallets (id, user_id, address, chain_id) values ($1, $3, $4, $5::bigint)
       on conflict do nothing returning address, created_at, user_id
     ), identity as (
       insert into app.identities (id, user_id, provider_id, account_id)
       select $2, user_id, 'siwe', address || ':' || $5::bigint from added on conflict do nothing
     )
     select *, true as is_new from added union all
     select address, created_at, user_id, false from app.wallets where lower(address) = lower($4)`,
    [wallet.id, wallet.identityId, wallet.accountId, wallet.address, wallet.chainId],
  );
  const row = rows[0];
  if (row === undefined || row.user_id !== wallet.accountId) return "taken";
  if (row.is_new) await recordAccountEvent(client, wallet.accountId, "wallet_linked", { wallet: row.address });
  return row;
}

/** What unlinking a wallet did; with `removed` what ended with it. */
export type Unlinked = { outcome: "unknown" | "last" } | { outcome: "removed"; sessions: number; keys: number };

/**
 * Unlinks a wallet of the account, but never its last one: only wallets sign in. Ends the sessions that it opened, the keys
 * that were created in them, and the account's OAuth flows under way.
 *
 * @param address - Upper or lower case.
 */
export async function unlinkWallet(pool: pg.Pool, accountId: string, address: string): Promise<Unlinked> {
  return await withTransaction(pool, async (client) => {
    await lockAccount(client, accountId);
    const { found, removed: wallet } = await deleteWallet(client, accountId, address);
    if (wallet === null) return { outcome: found ? "last" : "unknown" };
    const sessions = await endSessionsOfWallet(client, accountId, address);
    const keys = await revokeKeysOfWallet(client, accountId, address);
    await endOAuthFlows(client, accountId);
    await recordAccountEvent(client, accountId, "wallet_unlinked", { wallet, sessions, keys });
    return { outcome: "removed", sessions, keys };
  });
}

/** Deletes a wallet unless it is the last one. @returns Whether the account has it, and the address if it was deleted. */
async function deleteWallet(
  client: Queryable,
  accountId: string,
  address: string,
): Promise<{ found: boolean; removed: string | null }> {
  const { rows } = await client.query<{ found: boolean; removed: string | null }>(
    `with own as materialized (
       select id, address from app.wallets where user_id = $1 order by id for update
     ), removed as (
       delete from app.wallets where id in (select id from own where lower(address) = lower($2))
         and (select count(*) from own) > 1 returning address
     ), identity as (
       delete from app.identities where user_id = $1 and provider_id = 'siwe'
         and lower(split_part(account_id, ':', 1)) in (select lower(address) from removed)
     ), released as (
       update app.users set email = id::text || '@account.invalid' where id = $1 and exists (select from removed)
     )
     select exists (select from own where lower(address) = lower($2)) as found,
       (select address from removed) as removed`,
    [accountId, address],
  );
  return rows[0]!;
}
