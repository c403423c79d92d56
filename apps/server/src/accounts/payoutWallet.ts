import type { HandleProvider } from "@slipway/protocol/accounts";
import type pg from "pg";
import type { Queryable } from "../db/database.ts";
import { withTransaction } from "../db/withTransaction.ts";
import { recordAccountEvent } from "./accountEvents.ts";
import { lockAccount } from "./accounts.ts";

/**
 * Chooses the payout wallet, which other users find by the account's proven handles. The choice is a column of the
 * wallet's row, so that it ends when the wallet is unlinked.
 *
 * @param address - A wallet of the account in any case; null for no payout wallet.
 * @returns False when the account has no such wallet.
 */
export async function setPayoutWallet(pool: pg.Pool, accountId: string, address: string | null): Promise<boolean> {
  return await withTransaction(pool, async (client) => {
    await lockAccount(client, accountId);
    const { rows } = await client.query<{ address: string; is_payout: boolean }>(
      "select address, is_payout from app.wallets where user_id = $1 for update",
      [accountId],
    );
    const chosen = rows.find((row) => row.address.toLowerCase() === address?.toLowerCase());
    if (address !== null && chosen === undefined) return false;
    const before = rows.find((row) => row.is_payout);
    if (before?.address === chosen?.address) return true;
    // Two statements: one could set the second row before it clears the first.
    await client.query("update app.wallets set is_payout = false where user_id = $1 and is_payout", [accountId]);
    if (chosen) {
      const values = [accountId, chosen.address];
      await client.query("update app.wallets set is_payout = true where user_id = $1 and address = $2", values);
    }
    await recordAccountEvent(client, accountId, "payout_wallet_changed", { wallet: chosen?.address ?? null });
    return true;
  });
}

/**
 * Returns the payout wallet of the account that has proven a handle. Null for an unproven handle as well as for an account
 * without a payout wallet, so that a caller cannot distinguish them.
 *
 * @param handle - In any case.
 */
export async function findRecipient(
  db: Queryable,
  provider: HandleProvider,
  handle: string,
): Promise<{ provider: HandleProvider; handle: string; wallet: string } | null> {
  const { rows } = await db.query<{ handle: string; wallet: string }>(
    `select h.handle, w.address as wallet
     from app.provider_handles h
     join app.identities i on i.provider_id = h.provider_id and i.account_id = h.account_id
     join app.wallets w on w.user_id = i.user_id and w.is_payout
     where h.provider_id = $1 and lower(h.handle) = lower($2)`,
    [provider, handle],
  );
  return rows[0] ? { provider, ...rows[0] } : null;
}
