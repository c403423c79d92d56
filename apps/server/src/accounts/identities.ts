import type pg from "pg";
import type { Queryable } from "../db/database.ts";
import { withTransaction } from "../db/withTransaction.ts";
import { recordAccountEvent } from "./accountEvents.ts";
import { lockAccount } from "./accounts.ts";
import { revokeKeysOfWallet } from "./apiKeys.ts";
import { endOAuthFlows, endSessionsOfWallet } from "./sessions.ts";

export type WalletRow = { address: string; created_at: Date; is_payout: boolean };
export type ConnectionRow = { provider: "code_host" | "social"; id: string; handle: string | null; linked_at: Date };

/** Lists the wallets of an account, checksummed, in the order in which they were linked. */
export async function listWallets(db: Queryable, accountId: string): Promise<WalletRow[]> {
  const { rows } = await db.query<WalletRow>(
    "select address, created_at, is_payout from app.wallets where user_id = $1 order by created_at, id",
    [accountId],
  );
  return rows;
}

/** Lists the account's identities at the code host and the social network, with the latest reported handle. */
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

/** Unlinks an identity; false when it does not exist. */
export async function unlinkConnection(pool: pg.Pool, accountId: string, provider: string): Promise<boolean> {
  return await withTransaction(pool, async (client) => {
    const { rows } = await client.query<{ id: string; account_id: string }>(
      "select id, account_id from app.identities where user_id = $1 and provider_id = $2 for update",
      [accountId, provider],
    );
    const row = rows[0];
    if (row === undefined) return false;
    // Before the link is deleted, because the link has the address that must receive the mail about the event.
    await recordAccountEvent(client, accountId, "connection_unlinked", { provider, id: row.account_id });
    await client.query("delete from app.identities where id = $1", [row.id]);
    return true;
  });
}

/**
 * Records the handle that a provider returned for one of its accounts, and deletes the handle from its former owner.
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
 * Records the e-mail address that a provider has verified for one of its accounts, and replaces the earlier address.
 *
 * @param seen.id - The provider's own id.
 * @param seen.address - Null when the provider reports none: the earlier address is deleted.
 */
export async function recordAddress(
  db: Queryable,
  { provider, id, address }: { provider: string; id: string; address: string | null },
): Promise<void> {
  if (address === null) {
    await db.query("delete from app.provider_addresses where provider_id = $1 and account_id = $2", [provider, id]);
    return;
  }
  await db.query(
    `insert into app.provider_addresses (provider_id, account_id, address) values ($1, $2, $3)
     on conflict (provider_id, account_id) do update set address = excluded.address, seen_at = now()`,
    [provider, id, address],
  );
}

/**
 * Maximum wallets of an account: the cost of listing wallets and of looking up verified labels grows with their number.
 */
const maxWallets = 100;

export type NewWallet = {
  id: string;
  identityId: string;
  accountId: string;
  /** Checksummed. */
  address: string;
  chainId: number;
};

/**
 * Runs transactions that store the same wallet one after the other, so that a later one reads the row of the earlier
 * one.
 */
async function lockWallet(client: Queryable, address: string): Promise<void> {
  await client.query("select pg_advisory_xact_lock(hashtextextended('slipway wallet ' || lower($1), 0))", [address]);
}

/**
 * Creates the account of a wallet that signs in for the first time, in one transaction with its wallet. The sign-in
 * library would use three transactions; two concurrent sign-ins or the end of the process could leave them unfinished,
 * and the wallet could then never sign in.
 */
export async function createWalletAccount(pool: pg.Pool, wallet: NewWallet): Promise<void> {
  const isKnown = async (db: Queryable) =>
    (await db.query("select from app.wallets where lower(address) = lower($1)", [wallet.address])).rowCount !== 0;
  if (await isKnown(pool)) return;
  await withTransaction(pool, async (client) => {
    await lockWallet(client, wallet.address);
    if (await isKnown(client)) return;
    await client.query("insert into app.accounts (id, name) values ($1, $2)", [wallet.accountId, wallet.address]);
    await linkWallet(client, wallet);
  });
}

/**
 * Links a wallet to an account. Creates the row in app.users that an account needs to sign in, if the operator created
 * the account.
 *
 * @param client - In a transaction.
 * @returns `taken` when the wallet belongs to another account, `full` when the account already has {@link maxWallets}.
 */
export async function linkWallet(client: Queryable, wallet: NewWallet): Promise<WalletRow | "taken" | "full"> {
  await lockAccount(client, wallet.accountId);
  await lockWallet(client, wallet.address);
  const { rows } = await client.query<WalletRow & { user_id: string; is_new: boolean }>(
    `with owner as (
       insert into app.users (id, name, email)
       select id, name, id::text || '@account.invalid' from app.accounts where id = $3 and deleted_at is null
       on conflict (id) do nothing
     ), added as (
       insert into app.wallets (id, user_id, address, chain_id)
       select $1, $3, $4, $5::bigint where (select count(*) from app.wallets where user_id = $3) < ${maxWallets}
       on conflict do nothing returning address, created_at, is_payout, user_id
     ), identity as (
       insert into app.identities (id, user_id, provider_id, account_id)
       select $2, user_id, 'siwe', address || ':' || $5::bigint from added on conflict do nothing
     )
     select *, true as is_new from added union all
     select address, created_at, is_payout, user_id, false from app.wallets where lower(address) = lower($4)`,
    [wallet.id, wallet.identityId, wallet.accountId, wallet.address, wallet.chainId],
  );
  const row = rows[0];
  if (row === undefined) return "full";
  if (row.user_id !== wallet.accountId) return "taken";
  if (row.is_new) await recordAccountEvent(client, wallet.accountId, "wallet_linked", { wallet: row.address });
  return row;
}

/** The result of unlinking a wallet; with `removed`, the numbers of ended sessions and revoked keys. */
export type Unlinked = { outcome: "unknown" | "last" } | { outcome: "removed"; sessions: number; keys: number };

/**
 * Unlinks a wallet of the account, but never its last one, because only wallets sign in. Ends the sessions that the
 * wallet opened, the keys that those sessions created, and the account's OAuth flows in progress.
 *
 * @param address - Upper or lower case.
 */
export async function unlinkWallet(pool: pg.Pool, accountId: string, address: string): Promise<Unlinked> {
  return await withTransaction(pool, async (client) => {
    await lockAccount(client, accountId);
    const { found, removed: wallet, was_payout: wasPayout } = await deleteWallet(client, accountId, address);
    if (wallet === null) return { outcome: found ? "last" : "unknown" };
    const sessions = await endSessionsOfWallet(client, accountId, address);
    const keys = await revokeKeysOfWallet(client, accountId, address);
    await endOAuthFlows(client, accountId);
    await recordAccountEvent(client, accountId, "wallet_unlinked", { wallet, sessions, keys });
    if (wasPayout) await recordAccountEvent(client, accountId, "payout_wallet_changed", { wallet: null });
    return { outcome: "removed", sessions, keys };
  });
}

/** Deletes a wallet unless it is the last one. @returns Whether the account has the wallet, and the deleted wallet. */
async function deleteWallet(
  client: Queryable,
  accountId: string,
  address: string,
): Promise<{ found: boolean; removed: string | null; was_payout: boolean | null }> {
  const { rows } = await client.query<{ found: boolean; removed: string | null; was_payout: boolean | null }>(
    `with own as materialized (
       select id, address from app.wallets where user_id = $1 order by id for update
     ), removed as (
       delete from app.wallets where id in (select id from own where lower(address) = lower($2))
         and (select count(*) from own) > 1 returning address, is_payout
     ), identity as (
       delete from app.identities where user_id = $1 and provider_id = 'siwe'
         and lower(split_part(account_id, ':', 1)) in (select lower(address) from removed)
     ), released as (
       update app.users set email = id::text || '@account.invalid' where id = $1 and exists (select from removed)
     )
     select exists (select from own where lower(address) = lower($2)) as found,
       (select address from removed) as removed, (select is_payout from removed) as was_payout`,
    [accountId, address],
  );
  return rows[0]!;
}
