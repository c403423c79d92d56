import type { Queryable } from "../db/database.ts";

type NewestChanges = { outbox: number; manifests: number; pictures: number; blockedTokens: number };

/** Reads the newest outbox id, and the newest changes of documents, pictures and blocked tokens; 0 without a change. */
export async function getNewestChanges(db: Queryable): Promise<NewestChanges> {
  const { rows } = await db.query<NewestChanges>({
    name: "newest-changes",
    text: `select coalesce((select max(id) from chain.outbox), 0) as outbox,
      coalesce((select max(change) from app.token_manifests), 0) as manifests,
      coalesce((select max(change) from app.gallery), 0) as pictures,
      coalesce((select max(change) from app.blocked_tokens), 0) as "blockedTokens"`,
  });
  return rows[0]!;
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

/** Reads the checkpoint and the indexer's status; undefined before the first batch. */
export async function getIndexStatusRow(db: Queryable): Promise<IndexStatusRow | undefined> {
  const { rows } = await db.query<IndexStatusRow>(`
    select s.state, s.reason, c.from_block, c.block_number, c.block_time,
      -- An undo ends at a stored header, so the oldest one always stays.
      (select min(block_number) from chain.headers) as final_block,
      greatest(s.head_block, c.block_number) as head_block, greatest(s.head_time, c.block_time) as head_time,
      (extract(epoch from clock_timestamp() - s.updated_at) * 1000)::float8 as silent_ms
    from chain.checkpoint c cross join chain.status s`);
  return rows[0];
}

/** Lists the tokens whose picture was processed, removed or blocked after a change of `app.gallery`, in lower case. */
export async function listChangedPictures(db: Queryable, after: number, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ token: string }>(
    "select token from app.gallery where change > $1 order by change limit $2",
    [after, limit],
  );
  return rows.map((row) => row.token);
}
