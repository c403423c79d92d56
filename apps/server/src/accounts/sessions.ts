import type { Queryable } from "../db/database.ts";

export type SessionRow = {
  id: string;
  created_at: Date;
  expires_at: Date;
  ip_address: string | null;
  user_agent: string | null;
};

/** The account's sessions that have not expired, the latest first. */
export async function listSessions(db: Queryable, accountId: string): Promise<SessionRow[]> {
  const { rows } = await db.query<SessionRow>(
    `select id, created_at, expires_at, ip_address, user_agent from app.sessions
     where user_id = $1 and expires_at > now() order by created_at desc, id desc`,
    [accountId],
  );
  return rows;
}

/** Whether the account has this session and signed in with it in the last minutes; a renewal is no sign-in. */
export async function isSessionRecent(
  db: Queryable,
  accountId: string,
  sessionId: string,
  minutes: number,
): Promise<boolean> {
  const { rowCount } = await db.query(
    "select from app.sessions where user_id = $1 and id = $2 and created_at > now() - make_interval(mins => $3::int)",
    [accountId, sessionId, minutes],
  );
  return rowCount === 1;
}

/** Ends one session of the account; false when it has none of this id. */
export async function endSession(db: Queryable, accountId: string, sessionId: string): Promise<boolean> {
  const { rowCount } = await db.query("delete from app.sessions where user_id = $1 and id = $2", [
    accountId,
    sessionId,
  ]);
  return rowCount === 1;
}

/** Ends every session of the account; returns how many there were. */
export async function endSessions(db: Queryable, accountId: string): Promise<number> {
  const { rowCount } = await db.query("delete from app.sessions where user_id = $1", [accountId]);
  return rowCount ?? 0;
}

/** Deletes expired sessions, nonces and OAuth states; both conditions have an index. */
export async function deleteExpired(db: Queryable): Promise<void> {
  await db.query("delete from app.sessions where expires_at < now()");
  await db.query("delete from app.verifications where expires_at < now()");
}
