import type { Queryable } from "../../db/database.ts";

/** A contract that a process works on. `attempt` is 1 for the first request since the last progress. */
export type VerificationClaim = {
  address: string;
  contract: string;
  creationTransaction: string | null;
  attempt: number;
  submissions: number;
  jobId: string | null;
};

/** Queues contracts of the manifest. Does nothing for contracts that are queued already. */
export async function queueContracts(
  db: Queryable,
  contracts: readonly { address: string; contract: string; creationTransaction: string | null }[],
): Promise<void> {
  await db.query(
    `insert into app.source_verifications (address, contract, creation_transaction)
     select * from unnest($1::text[], $2::text[], $3::text[]) on conflict do nothing`,
    [
      contracts.map(({ address }) => address.toLowerCase()),
      contracts.map(({ contract }) => contract),
      contracts.map(({ creationTransaction }) => creationTransaction),
    ],
  );
}

/** Maximum tokens that one run queues. */
const maxQueued = 1_000;

/**
 * Queues the next launched tokens, in the order of their ids, whose block no reorganisation can remove. Does nothing for
 * tokens that are queued already.
 *
 * @returns The id of the last one, and whether more tokens may follow.
 */
export async function queueTokens(db: Queryable, afterId: number): Promise<{ lastId: number; hasMore: boolean }> {
  const { rows } = await db.query<{ last_id: number | null; count: number }>(
    `with page as materialized (
       select t.id, t.address from chain.tokens t
       where t.id > $1 and t.block_number <= (select min(block_number) from chain.headers) order by t.id limit ${maxQueued}
     ), queued as (
       insert into app.source_verifications (address, contract) select address, 'LaunchToken' from page on conflict do nothing
     )
     select max(id) as last_id, count(*)::int as count from page`,
    [afterId],
  );
  const { last_id, count } = rows[0]!;
  return { lastId: last_id ?? afterId, hasMore: count === maxQueued };
}

/** Claims due contracts, the oldest first, each for one process. A claim without a result is due again after `leaseMs`. */
export async function claimVerifications(db: Queryable, limit: number, leaseMs: number): Promise<VerificationClaim[]> {
  const { rows } = await db.query<VerificationClaim>(
    `update app.source_verifications set attempts = attempts + 1, next_at = now() + $2 * interval '1 millisecond'
     where address in (
       select address from app.source_verifications where next_at <= now() order by next_at limit $1
       for update skip locked
     )
     returning address, contract, creation_transaction as "creationTransaction", attempts as attempt, submissions,
       job_id as "jobId"`,
    [limit, leaseMs],
  );
  return rows;
}

/** The result of a claim's requests. `nextInMs` null: finished. */
export type VerificationResult =
  | { kind: "submitted"; jobId: string; nextInMs: number }
  | { kind: "finished"; isVerified: boolean | null; reason: string | null }
  | { kind: "delayed"; jobId: string | null; reason: string | null; nextInMs: number | null };

/** Stores the result of a claim, unless another process has claimed the contract since. */
export async function storeResult(db: Queryable, claim: VerificationClaim, result: VerificationResult): Promise<void> {
  const isFinished = result.kind === "finished";
  await db.query(
    `update app.source_verifications set
       attempts = case when $3 = 'delayed' then attempts else 0 end,
       submissions = submissions + case when $3 = 'submitted' then 1 else 0 end,
       job_id = $4, next_at = now() + $5 * interval '1 millisecond', is_verified = $6, reason = $7,
       checked_at = case when $3 = 'finished' then now() end
     where address = $1 and attempts = $2`,
    [
      claim.address,
      claim.attempt,
      result.kind,
      isFinished ? null : result.jobId,
      isFinished ? null : result.nextInMs,
      isFinished ? result.isVerified : null,
      result.kind === "submitted" ? null : result.reason,
    ],
  );
}

/** Releases a claim without counting its attempt. */
export async function releaseVerification(db: Queryable, claim: VerificationClaim): Promise<void> {
  await db.query(
    "update app.source_verifications set attempts = attempts - 1, next_at = now() where address = $1 and attempts = $2",
    [claim.address, claim.attempt],
  );
}
