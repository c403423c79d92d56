import type { Queryable } from "../../db/database.ts";

/** A run with an Idempotency-Key. */
export type KeyedRun = { state: "running" | "done"; body_hash: Buffer; answer: Buffer | null };

/** Lifetime of a stored response of an Idempotency-Key. */
const answerLifetime = "24 hours";

/** Finds the run of a key that is running or has an unexpired response. */
export async function findRun(db: Queryable, accountId: string, keyHash: Buffer): Promise<KeyedRun | null> {
  const { rows } = await db.query<KeyedRun>(
    `select state, body_hash, answer from app.forecast_runs
     where account_id = $1 and key_hash = $2 and state <> 'failed'
       and (state = 'running' or created_at > now() - interval '${answerLifetime}')`,
    [accountId, keyHash],
  );
  return rows[0] ?? null;
}

/** Records a run; returns false if another run of the key is running or has an unexpired response. */
export async function beginRun(
  client: Queryable,
  run: { requestId: string; accountId: string; keyHash: Buffer | null; bodyHash: Buffer },
): Promise<boolean> {
  const { requestId, accountId, keyHash, bodyHash } = run;
  if (keyHash !== null) {
    await client.query(
      `delete from app.forecast_runs where account_id = $1 and key_hash = $2 and state = 'done'
         and created_at <= now() - interval '${answerLifetime}'`,
      [accountId, keyHash],
    );
  }
  const { rowCount } = await client.query(
    `insert into app.forecast_runs (request_id, account_id, key_hash, body_hash) values ($1, $2, $3, $4)
     on conflict (account_id, key_hash) where key_hash is not null and state <> 'failed' do nothing`,
    [requestId, accountId, keyHash, bodyHash],
  );
  return rowCount === 1;
}

/** Records the response of a run; returns false if the run was refunded or the account deleted meanwhile. */
export async function finishRun(db: Queryable, requestId: string, answer: Buffer): Promise<boolean> {
  const { rowCount } = await db.query(
    `update app.forecast_runs set state = 'done', answer = case when key_hash is null then null else $2::bytea end
     where request_id = $1 and state = 'running'`,
    [requestId, answer],
  );
  return rowCount === 1;
}

/**
 * Records that a run failed; returns false if the failure is already recorded. Deletes a response that was stored but
 * not sent, because the database did not confirm the statement.
 */
export async function failRun(client: Queryable, requestId: string): Promise<boolean> {
  const { rowCount } = await client.query(
    "update app.forecast_runs set state = 'failed', answer = null where request_id = $1 and state <> 'failed'",
    [requestId],
  );
  return rowCount === 1;
}

/**
 * Records as failed the runs that have been running for more than a minute, because their process has ended. Runs in
 * the transaction of the refunds. Several processes can share the work.
 */
export async function failLostRuns(
  client: Queryable,
  limit: number,
): Promise<{ account_id: string; request_id: string }[]> {
  const { rows } = await client.query<{ account_id: string; request_id: string }>(
    `update app.forecast_runs set state = 'failed' where request_id in (
       select request_id from app.forecast_runs
       where state = 'running' and created_at < now() - interval '60 seconds'
       order by created_at limit $1 for update skip locked)
     returning account_id, request_id`,
    [limit],
  );
  return rows;
}

/** Deletes ended runs whose responses have expired; returns the number of deleted runs. */
export async function deleteOldRuns(db: Queryable, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from app.forecast_runs where request_id in (
       select request_id from app.forecast_runs
       where state <> 'running' and created_at <= now() - interval '${answerLifetime}' order by created_at limit $1)`,
    [limit],
  );
  return rowCount ?? 0;
}
