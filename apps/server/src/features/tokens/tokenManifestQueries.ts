import type { MetadataDocument } from "@slipway/protocol/metadataDocument";
import { lockUntilCommit } from "../../db/advisoryLocks.ts";
import type { Client, Database, Queryable } from "../../db/database.ts";
import { withTransaction } from "../../db/withTransaction.ts";
import { outboxChannel } from "../../live/listenToOutbox.ts";

/** A claimed fetch. `attempt` is 1 for the first one since the last success. */
export type ManifestClaim = {
  token: string;
  uri: string;
  attempt: number;
  /** The hash and, below, the HTTP validators of the stored document. */
  sha256: Buffer | null;
  etag: string | null;
  lastModified: string | null;
};

/** A fetched document. */
export type FetchedManifest = {
  document: MetadataDocument;
  sha256: Buffer;
  etag: string | null;
  lastModified: string | null;
};

/**
 * Inserts a row for each launch with an off-chain document that has none yet.
 *
 * @param ipfsError - The stored error of ipfs documents; null when they are fetched.
 * @returns The number of inserted rows.
 */
export async function discoverManifests(pool: Database["api"], ipfsError: string | null): Promise<number> {
  // Checked first without the lock: usually no document is new.
  const unknown = `
    from chain.tokens t
    where t.contract_uri ~* '^(https|ipfs)://'
      and not exists (select from app.token_manifests m where m.token = t.address)`;
  const { rows } = await pool.query<{ some: boolean }>(`select exists (select ${unknown}) as some`);
  if (!rows[0]!.some) return 0;
  return await withTransaction(pool, async (client) => {
    await beginChange(client);
    const { rowCount } = await client.query(
      `insert into app.token_manifests (token, uri, error, next_at)
       select t.address, t.contract_uri, e.error, case when e.error is null then now() end
       from (select t.id, t.address, t.contract_uri ${unknown} order by t.id limit 1000) t
       cross join lateral (select case when t.contract_uri ~* '^ipfs:' then $1 end as error) e
       order by t.id
       on conflict do nothing`,
      [ipfsError],
    );
    return rowCount ?? 0;
  });
}

/** Schedules the ipfs documents that were not fetched while there was no gateway. */
export async function scheduleIpfsManifests(db: Queryable, ipfsError: string): Promise<void> {
  await db.query("update app.token_manifests set next_at = now() where error = $1", [ipfsError]);
}

/**
 * Claims due fetches, the oldest first, each for one process. A claim without a stored result is due again after
 * `leaseMs`.
 */
export async function claimManifests(db: Queryable, limit: number, leaseMs: number): Promise<ManifestClaim[]> {
  const { rows } = await db.query<ManifestClaim>(
    `update app.token_manifests set attempts = attempts + 1, next_at = now() + $2 * interval '1 millisecond'
     where token in (
       select m.token from app.token_manifests m
       where m.next_at <= now() and exists (select from chain.tokens t where t.address = m.token)
       order by m.next_at limit $1 for update of m skip locked
     )
     returning token, uri, attempts as attempt, sha256, etag, last_modified as "lastModified"`,
    [limit, leaseMs],
  );
  return rows;
}

/** Releases a claim without counting its attempt. */
export async function releaseClaim(db: Queryable, claim: ManifestClaim): Promise<void> {
  await db.query(
    "update app.token_manifests set attempts = attempts - 1, next_at = now() where token = $1 and attempts = $2",
    [claim.token, claim.attempt],
  );
}

/** Stores a fetched document, or that it is unchanged, and notifies readers of a change. */
export async function storeManifest(
  pool: Database["api"],
  claim: ManifestClaim,
  fetched: FetchedManifest | "unchanged",
  nextInMs: number | null,
): Promise<void> {
  const next = [claim.token, claim.attempt, nextInMs];
  if (fetched === "unchanged" || (claim.sha256 !== null && fetched.sha256.equals(claim.sha256))) {
    await pool.query(
      `update app.token_manifests set attempts = 0, error = null, fetched_at = now(),
         next_at = now() + $3 * interval '1 millisecond',
         etag = coalesce($4, etag), last_modified = coalesce($5, last_modified)
       where token = $1 and attempts = $2`,
      [...next, ...(fetched === "unchanged" ? [null, null] : [fetched.etag, fetched.lastModified])],
    );
    return;
  }
  const { document, sha256, etag, lastModified } = fetched;
  await withTransaction(pool, async (client) => {
    await beginChange(client);
    await client.query(
      `update app.token_manifests set attempts = 0, error = null, fetched_at = now(),
         next_at = now() + $3 * interval '1 millisecond', description = $4, image = $5, website = $6, sha256 = $7,
         etag = $8, last_modified = $9, change = nextval('app.token_manifest_changes')
       where token = $1 and attempts = $2`,
      [...next, document.description, document.image, document.website, sha256, etag, lastModified],
    );
  });
}

/** Stores the error of a fetch; an earlier document stays. */
export async function storeManifestError(
  pool: Database["api"],
  claim: ManifestClaim,
  error: string,
  nextInMs: number | null,
): Promise<void> {
  await withTransaction(pool, async (client) => {
    await beginChange(client);
    await client.query(
      `update app.token_manifests set error = $4, next_at = now() + $3 * interval '1 millisecond',
         change = nextval('app.token_manifest_changes')
       where token = $1 and attempts = $2`,
      [claim.token, claim.attempt, nextInMs, error],
    );
  });
}

/** Takes the lock on changes for the transaction; its commit notifies the readers. */
async function beginChange(client: Client): Promise<void> {
  await lockUntilCommit(client, "tokenManifestChanges");
  await client.query("select pg_notify($1, '')", [outboxChannel]);
}
