import type { Client, Queryable } from "../../db/database.ts";
import { runPrepared } from "../../db/pipeline.ts";

/** The last block of the last committed batch. */
export type Checkpoint = { blockNumber: number; blockHash: string; blockTime: number; batchId: number };

/** Another indexer became the leader. This indexer must not write any more. */
export class LeadershipLostError extends Error {
  override name = "LeadershipLostError";
}

type Row = { fence: number; block_number: number; block_hash: string; block_time: number; batch_id: number };

const select = "select fence, block_number, block_hash, block_time, batch_id from chain.checkpoint";

/**
 * Locks the checkpoint for the rest of the transaction, so that writers are serialized.
 *
 * @throws LeadershipLostError when a later leader has acquired a fencing token.
 */
export async function lockCheckpoint(client: Client, fencingToken: number): Promise<Checkpoint> {
  const { rows } = await runPrepared<Row>(client, `${select} for update`);
  if (rows[0]?.fence !== fencingToken) throw new LeadershipLostError("another indexer leads");
  return toCheckpoint(rows[0]);
}

/** Reads the checkpoint; null before the first start. */
export async function readCheckpoint(db: Queryable): Promise<Checkpoint | null> {
  const { rows } = await db.query<Row>(select);
  return rows[0] ? toCheckpoint(rows[0]) : null;
}

function toCheckpoint(row: Row): Checkpoint {
  return {
    blockNumber: row.block_number,
    blockHash: row.block_hash,
    blockTime: row.block_time,
    batchId: row.batch_id,
  };
}

export type StoredHeader = Checkpoint & { isBatchEnd: boolean };

type HeaderRow = {
  block_number: number;
  block_hash: string;
  block_time: number;
  batch_id: number;
  is_batch_end: boolean;
};

/** Reads headers of the reorg window at or below a height, highest first. */
export async function readStoredHeaders(db: Queryable, atOrBelow: number, limit: number): Promise<StoredHeader[]> {
  const { rows } = await db.query<HeaderRow>(
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
