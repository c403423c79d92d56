import type { Queryable } from "../db/database.ts";
import { type StoredChange, type StoredChangeRow, selectOutboxChanges, toStoredChange } from "../live/queries.ts";

/** The newest outbox id, and the newest changes of documents, pictures and blocks; 0 without a change. */
export type NewestChanges = {
  outbox: number;
  manifests: number;
  pictures: number;
  blockedTokens: number;
  blockedOpenings: number;
};

const selectNewestChanges = `
  select coalesce((select max(id) from chain.outbox), 0) as outbox,
    coalesce((select max(change) from app.token_manifests), 0) as manifests,
    coalesce((select max(change) from app.gallery), 0) as pictures,
    coalesce((select max(change) from app.blocked_tokens), 0) as "blockedTokens",
    coalesce((select max(change) from app.blocked_openings), 0) as "blockedOpenings"`;

/** The index status and all changes at one moment. */
export type ReadProgress = {
  /** Null before the first batch. */
  status: IndexStatusRow | null;
  newest: NewestChanges;
  /** The changes after a cursor, oldest first; empty without a cursor. */
  changes: StoredChange[];
};

/**
 * Reads the index status and the changes after an outbox id in one statement, because every process of the API does so
 * after each commit.
 *
 * @param after - Null: no changes, because none is known before.
 */
export async function readProgress(db: Queryable, after: number | null, limit: number): Promise<ReadProgress> {
  const { rows } = await db.query<{
    status: IndexStatusRow | null;
    newest: NewestChanges;
    changes: StoredChangeRow[] | null;
  }>({
    name: "read-progress",
    text: `select (select row_to_json(s) from (${selectIndexStatus}) s) as status,
      (select row_to_json(n) from (${selectNewestChanges}) n) as newest,
      (select json_agg(c order by c.id) from (${selectOutboxChanges}) c) as changes`,
    values: [after, limit],
  });
  const { status, newest, changes } = rows[0]!;
  return { status, newest, changes: (changes ?? []).map(toStoredChange) };
}

/** Lists the tokens whose token manifest changed after a change of `app.token_manifests`; lower-case addresses. */
export async function listChangedManifests(db: Queryable, after: number, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ token: string }>(
    "select token from app.token_manifests where change > $1 order by change limit $2",
    [after, limit],
  );
  return rows.map((row) => row.token);
}

/** Lists the tokens that were blocked or unblocked after a change of `app.blocked_tokens`; lower-case addresses. */
export async function listChangedBlocks(db: Queryable, after: number, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ token: string }>(
    "select token from app.blocked_tokens where change > $1 order by change limit $2",
    [after, limit],
  );
  return rows.map((row) => row.token);
}

export type IndexStatusRow = {
  state: "starting" | "backfilling" | "live" | "halted";
  reason: string | null;
  from_block: number;
  block_number: number;
  block_time: number;
  final_block: number | null;
  head_block: number;
  head_time: number;
  silent_ms: number;
};

const selectIndexStatus = `
  select s.state, s.reason, c.from_block, c.block_number, c.block_time,
    -- An undo ends at a stored header, so the oldest one always stays.
    (select min(block_number) from chain.headers) as final_block,
    greatest(s.head_block, c.block_number) as head_block, greatest(s.head_time, c.block_time) as head_time,
    (extract(epoch from clock_timestamp() - s.updated_at) * 1000)::float8 as silent_ms
  from chain.checkpoint c cross join chain.status s`;

/** Reads the checkpoint and the indexer's status; null before the first batch. */
export async function getIndexStatusRow(db: Queryable): Promise<IndexStatusRow | null> {
  const { rows } = await db.query<IndexStatusRow>(selectIndexStatus);
  return rows[0] ?? null;
}

/** Lists the tokens whose picture was processed, removed or blocked after a change of `app.gallery`, in lower case. */
export async function listChangedPictures(db: Queryable, after: number, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ token: string }>(
    "select token from app.gallery where change > $1 order by change limit $2",
    [after, limit],
  );
  return rows.map((row) => row.token);
}
