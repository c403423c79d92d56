import { maxListings } from "@slipway/protocol/businesses";
import { SlipwayError } from "@slipway/protocol/errors";
import type { Listing } from "@slipway/protocol/listing";
import { lockUntilCommit } from "../../db/advisoryLocks.ts";
import type { Client, Database } from "../../db/database.ts";
import { withTransaction } from "../../db/withTransaction.ts";
import type { ListingColumns } from "./listing.ts";
import { findBusiness, type ProofRow } from "./queries.ts";
import type { BusinessRow } from "./toBusiness.ts";

type NewListing = {
  id: string;
  accountId: string;
  idempotencyKey: string;
  bodyHash: Uint8Array;
  columns: ListingColumns;
};

type Pools = Pick<Database, "api" | "runExclusive">;

/**
 * Publishes a listing, or finds the listing that the account has published with this idempotency key.
 *
 * @throws SlipwayError `idempotency_key_reused`, `too_many_listings`, `listing_not_found` (the listing is blocked).
 */
export async function storeListing(
  { api, runExclusive }: Pools,
  row: NewListing,
): Promise<{ stored: BusinessRow; isNew: boolean }> {
  const store = async (client: Client) => {
    // Concurrent requests of the account wait here, and then see the listings that were committed before.
    await client.query("select from app.accounts where id = $1 for no key update", [row.accountId]);
    const { rows } = await client.query<{ id: string; body_hash: Buffer }>(
      "select id, body_hash from app.listings where account_id = $1 and idempotency_key = $2",
      [row.accountId, row.idempotencyKey],
    );
    const earlier = rows[0];
    if (earlier !== undefined && !earlier.body_hash.equals(row.bodyHash))
      throw new SlipwayError("idempotency_key_reused");
    if (earlier === undefined) await insertListing(client, row);
    const stored = await findBusiness(client, earlier?.id ?? row.id);
    if (stored === null) throw new SlipwayError("listing_not_found");
    return { stored, isNew: earlier === undefined };
  };
  return await runExclusive(row.accountId, () => withTransaction(api, store));
}

async function insertListing(client: Client, row: NewListing): Promise<void> {
  const count = "select count(*) as count from app.listings where account_id = $1";
  const { rows } = await client.query<{ count: number }>(count, [row.accountId]);
  if (rows[0]!.count >= maxListings) throw new SlipwayError("too_many_listings");
  const { columns } = row;
  await client.query(
    `insert into app.listings (id, source, account_id, idempotency_key, body_hash, ${columnNames.join(", ")})
     values ($1, 'own', $2, $3, $4, ${columnValues(5)})`,
    [row.id, row.accountId, row.idempotencyKey, row.bodyHash, ...toValues(columns)],
  );
}

const columnNames = [
  ...["kind", "listing", "name", "search_text", "category", "country", "lat", "lon"],
  ...["image_sha256", "image_cid", "merge_key"],
] as const;

const columnValues = (first: number) =>
  columnNames
    .map((name, index) => (name === "image_sha256" ? `decode($${first + index}, 'hex')` : `$${first + index}`))
    .join(", ");

const toValues = (columns: ListingColumns) => columnNames.map((name) => columns[name as keyof ListingColumns]);

/** Whether a listing still has the ETag that its owner read. */
export type MatchesEtag = (row: BusinessRow) => boolean;

/**
 * Locks a listing of the account and checks that the listing has not changed since its owner read it.
 *
 * @throws SlipwayError `listing_not_found`, also for another account's listing; `precondition_failed`.
 */
async function lockOwnListing(
  client: Client,
  accountId: string,
  id: string,
  matches: MatchesEtag,
): Promise<BusinessRow> {
  await lockUntilCommit(client, "listings");
  const owned = "select from app.listings where id = $1 and account_id = $2 for update";
  const { rowCount } = await client.query(owned, [id, accountId]);
  const row = rowCount === 1 ? await findBusiness(client, id) : null;
  if (row === null) throw new SlipwayError("listing_not_found");
  if (!matches(row)) throw new SlipwayError("precondition_failed");
  return row;
}

/** Replaces the contents of a listing. A changed website ends the website proof. @throws As `lockOwnListing`. */
export async function replaceListing(
  pool: Database["api"],
  change: { accountId: string; id: string; matches: MatchesEtag; columns: ListingColumns },
): Promise<BusinessRow> {
  const { accountId, id, columns } = change;
  return await withTransaction(pool, async (client) => {
    const before = await lockOwnListing(client, accountId, id, change.matches);
    const set = `(${columnNames.join(", ")}, updated_at) = (${columnValues(2)}, clock_timestamp())`;
    await client.query(`update app.listings set ${set} where id = $1`, [id, ...toValues(columns)]);
    if (isOtherWebsite(before.listing, columns.listing)) {
      await client.query("delete from app.website_proofs where listing_id = $1", [id]);
    }
    return (await findBusiness(client, id))!;
  });
}

const isOtherWebsite = (before: Listing, after: Listing) => before.website !== after.website;

/** Withdraws a listing permanently. @throws As `lockOwnListing`. */
export async function withdrawListing(
  pool: Database["api"],
  { accountId, id, matches }: { accountId: string; id: string; matches: MatchesEtag },
): Promise<void> {
  await withTransaction(pool, async (client) => {
    await lockOwnListing(client, accountId, id, matches);
    await client.query("delete from app.listings where id = $1", [id]);
  });
}

/** Minimum seconds between a check and a further check that the owner requests. */
const recheckSeconds = 60;

/**
 * Starts the proof of a listing's website, or schedules another check soon.
 *
 * @param options.requireWebsite - Throws for a listing without a website.
 * @throws SlipwayError `listing_not_found`, and the errors of `requireWebsite`.
 */
export async function requestProof(
  pool: Database["api"],
  options: { accountId: string; id: string; code: string; requireWebsite: (website: string | null) => string },
): Promise<ProofRow> {
  const { accountId, id, code } = options;
  return await withTransaction(pool, async (client) => {
    const { listing } = await lockOwnListing(client, accountId, id, () => true);
    const { rows } = await client.query<ProofRow>(
      `insert into app.website_proofs as p (listing_id, website, code) values ($1, $2, $3)
       on conflict (listing_id) do update set
         status = case p.status when 'failed' then 'pending' else p.status end,
         reason = case p.status when 'failed' then null else p.reason end,
         attempts = case p.status when 'failed' then 0 else p.attempts end,
         next_at = case p.status when 'verified' then p.next_at else
           greatest(now(), p.checked_at + ${recheckSeconds} * interval '1 second') end
       returning website, code, status, reason`,
      [id, options.requireWebsite(listing.website), code],
    );
    return rows[0]!;
  });
}
