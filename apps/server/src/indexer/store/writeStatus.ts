import type pg from "pg";

export type StoredStatus = {
  state: "starting" | "backfilling" | "live" | "halted";
  reason: string | null;
  headBlock: number;
  headTime: number;
};

/** Tells every process how the index is; an earlier leader's word is not taken any more. */
export async function writeStatus(pool: pg.Pool, fence: number, status: StoredStatus): Promise<void> {
  await pool.query(
    `insert into chain.status (state, reason, head_block, head_time, updated_at)
     select $2, $3, $4, $5, now() from chain.checkpoint where fence = $1
     on conflict (only_row) do update set state = excluded.state, reason = excluded.reason,
       head_block = excluded.head_block, head_time = excluded.head_time, updated_at = excluded.updated_at`,
    [fence, status.state, status.reason, status.headBlock, status.headTime],
  );
}
