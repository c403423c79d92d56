import { lockUntilCommit } from "../../db/advisoryLocks.ts";
import type { Database, Queryable } from "../../db/database.ts";
import { withTransaction } from "../../db/withTransaction.ts";

/** A claimed check of a website. */
export type ProofClaim = {
  listingId: string;
  accountId: string;
  website: string;
  code: string;
  /** 1 for the first check since a check last found the code. */
  attempt: number;
  /** Whether an earlier check found the code. */
  isVerified: boolean;
};

/**
 * Claims due checks: the first of each account, then the second of each account, the longest due first. A claim without
 * a stored result expires after `leaseMs`.
 *
 * @param options.busyAccounts - The account of each check in progress.
 * @param options.maxPerAccount - Maximum checks of an account in progress.
 */
export async function claimProofs(
  db: Queryable,
  options: { limit: number; busyAccounts: readonly string[]; maxPerAccount: number; leaseMs: number },
): Promise<ProofClaim[]> {
  const { limit, busyAccounts, maxPerAccount, leaseMs } = options;
  const { rows } = await db.query<ProofClaim>(
    `update app.website_proofs set attempts = attempts + 1, checked_at = now(),
       next_at = now() + $2 * interval '1 millisecond'
     where listing_id in (
       select p.listing_id from app.website_proofs p
       where p.next_at <= now() and p.listing_id in (
         select due.listing_id from (
           select p.listing_id, p.next_at, row_number() over (partition by l.account_id order by p.next_at)
             + (select count(*) from unnest($3::uuid[]) as busy (account_id) where busy.account_id = l.account_id)
             as place
           from app.website_proofs p join app.listings l on l.id = p.listing_id
           where p.next_at <= now()
         ) due
         where due.place <= $4 order by due.place, due.next_at limit $1
       )
       for update skip locked
     )
     returning listing_id as "listingId", website,
       (select l.account_id from app.listings l where l.id = listing_id) as "accountId", code, attempts as attempt, status = 'verified' as "isVerified"`,
    [limit, leaseMs, busyAccounts, maxPerAccount],
  );
  return rows;
}

/** Releases a claim without counting its attempt. */
export async function releaseProof(db: Queryable, { code, attempt }: ProofClaim): Promise<void> {
  await db.query(
    "update app.website_proofs set attempts = attempts - 1, next_at = now() where code = $1 and attempts = $2",
    [code, attempt],
  );
}

/**
 * Stores the result of a check, which also determines the leading listing of the business. Does nothing if the
 * listing's website has changed since the claim, because the new proof has another code.
 *
 * @param result.nextInMs - Time until the next check; null for no further check.
 */
export async function finishProof(
  pool: Database["api"],
  { code, attempt }: ProofClaim,
  result: { status: "pending" | "verified" | "failed"; reason: string | null; nextInMs: number | null },
): Promise<void> {
  await withTransaction(pool, async (client) => {
    await lockUntilCommit(client, "listings");
    await client.query(
      `update app.website_proofs set status = $3, reason = $4, next_at = now() + $5 * interval '1 millisecond',
         attempts = case when $4::text is null then 0 else attempts end,
         verified_at = case when $4::text is null then now() else verified_at end
       where code = $1 and attempts = $2`,
      [code, attempt, result.status, result.reason, result.nextInMs],
    );
  });
}
