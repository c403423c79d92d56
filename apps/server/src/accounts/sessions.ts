import type pg from "pg";
import type { Queryable } from "../db/database.ts";
import { withTransaction } from "../db/withTransaction.ts";
import { recordAccountEvent } from "./accountEvents.ts";
import { lockAccount } from "./accounts.ts";

export type SessionRow = {
  id: string;
  created_at: Date;
  expires_at: Date;
  ip_address: string | null;
  user_agent: string | null;
};

/** Maximum sessions of an account: otherwise a caller could make the list of sessions arbitrarily long. */
const maxSessions = 100;

/** Lists the account's sessions that have not expired, newest first. */
export async function listSessions(db: Queryable, accountId: string): Promise<SessionRow[]> {
  const { rows } = await db.query<SessionRow>(
    `select id, created_at, expires_at, ip_address, user_agent from app.sessions
     where user_id = $1 and expires_at > now() order by created_at desc, id desc`,
    [accountId],
  );
  return rows;
}

/** Ends one session of the account; false when the account has no session with this id. */
export async function endSession(pool: pg.Pool, accountId: string, sessionId: string): Promise<boolean> {
  return await withTransaction(pool, async (client) => {
    const { rowCount } = await client.query("delete from app.sessions where user_id = $1 and id = $2", [
      accountId,
      sessionId,
    ]);
    if (rowCount !== 1) return false;
    await recordAccountEvent(client, accountId, "session_revoked", { session_id: sessionId });
    return true;
  });
}

/**
 * Ends every session of the account, and every sign-in and OAuth flow in progress.
 *
 * @returns The number of ended sessions.
 */
export async function endSessions(pool: pg.Pool, accountId: string): Promise<number> {
  return await withTransaction(pool, async (client) => {
    await client.query("update app.accounts set signed_out_at = clock_timestamp() where id = $1", [accountId]);
    // A separate statement, which sees the sessions that were committed while the update waited for its lock.
    const { rowCount } = await client.query("delete from app.sessions where user_id = $1", [accountId]);
    await endOAuthFlows(client, accountId);
    await recordAccountEvent(client, accountId, "signed_out_everywhere", { sessions: rowCount });
    return rowCount ?? 0;
  });
}

/** Ends the sessions that a wallet opened, and the sessions of earlier versions, whose wallet is unknown. */
export async function endSessionsOfWallet(client: Queryable, accountId: string, wallet: string): Promise<number> {
  const { rowCount } = await client.query(
    "delete from app.sessions where user_id = $1 and (wallet is null or wallet = lower($2))",
    [accountId, wallet],
  );
  return rowCount ?? 0;
}

/** Ends the OAuth flows that an account has started. Uses the condition of the index `verifications_account`. */
export async function endOAuthFlows(client: Queryable, accountId: string): Promise<void> {
  await client.query(
    `delete from app.verifications
     where value like '%"userId":"%' and substring(value from '"userId":"([0-9a-f-]{36})"') = $1`,
    [accountId],
  );
}

/**
 * Claims the OAuth flow of a state, which an account can do once: of concurrent claims, one succeeds. The library stores
 * the state as a JSON object, and reads and deletes it afterwards.
 *
 * @returns Whether the account started this flow and the flow was not claimed before.
 */
export async function claimOAuthFlow(db: Queryable, state: string, accountId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `update app.verifications set value = left(value, -1) || ',"claimed":true}'
     where identifier = $1 and value like '%"userId":"%' and value not like '%,"claimed":true}'
       and substring(value from '"userId":"([0-9a-f-]{36})"') = $2`,
    [state, accountId],
  );
  return rowCount === 1;
}

/**
 * Records the wallet that opened a new session, and ends the sessions above {@link maxSessions}, least recently
 * extended first. Ends the new session instead if the account has signed out everywhere or unlinked the wallet since
 * the nonce was issued.
 *
 * @param opened.nonceCreatedAt - In PostgreSQL's text format.
 * @returns Whether the session stays.
 */
export async function confirmSession(
  pool: pg.Pool,
  opened: { token: string; accountId: string; wallet: string; nonceCreatedAt: string },
): Promise<boolean> {
  const { token, accountId, wallet, nonceCreatedAt } = opened;
  return await withTransaction(pool, async (client) => {
    await lockAccount(client, accountId);
    const { rowCount } = await client.query(
      `update app.sessions s set wallet = lower(w.address)
       from app.accounts a join app.wallets w on w.user_id = a.id
       where s.token = $1 and s.user_id = $2 and a.id = $2 and lower(w.address) = lower($3)
         and (a.signed_out_at is null or a.signed_out_at < $4::timestamptz)`,
      [token, accountId, wallet, nonceCreatedAt],
    );
    if (rowCount === 1) {
      await client.query(
        `delete from app.sessions where id in (
           select id from app.sessions where user_id = $1 and token <> $2
           order by expires_at desc, id desc offset ${maxSessions - 1})`,
        [accountId, token],
      );
      return true;
    }
    await client.query("delete from app.sessions where token = $1", [token]);
    return false;
  });
}

/** Finds the wallet that opened a session of the account; undefined when the session does not exist. */
export async function findSessionWallet(
  db: Queryable,
  accountId: string,
  sessionId: string,
): Promise<`0x${string}` | null | undefined> {
  const { rows } = await db.query<{ wallet: `0x${string}` | null }>(
    "select wallet from app.sessions where user_id = $1 and id = $2 and expires_at > now()",
    [accountId, sessionId],
  );
  return rows[0]?.wallet;
}

/** Deletes expired sessions, nonces and OAuth states; both conditions have an index. */
export async function deleteExpired(db: Queryable): Promise<void> {
  await db.query("delete from app.sessions where expires_at < now()");
  await db.query("delete from app.verifications where expires_at < now()");
}
