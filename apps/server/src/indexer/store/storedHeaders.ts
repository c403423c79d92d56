import type { Queryable } from "../../db/database.ts";
import type { Checkpoint } from "./checkpoint.ts";

export type StoredHeader = Checkpoint & { isBatchEnd: boolean };

type Row = { block_number: number; block_hash: string; block_time: number; batch_id: number; is_batch_end: boolean };

/** Headers of the reorg window at or below a height, highest first. */
export async function storedHeaders(db: Queryable, atOrBelow: number, limit: number): Promise<StoredHeader[]> {
  const { rows } = await db.query<Row>(
    "select * from chain.headers where block_number <= $1 order by block_number desc limit $2",
    [atOrBelow, limit],
  );
  return rows.map((row) => ({
    blockNumber: row.block_number,
    blockHash: row.block_hash,
    blockTime: row.block_time,
    batchId: row.batch_id,
    isBatchEnd: row.is_batch_end,
  }));
}
