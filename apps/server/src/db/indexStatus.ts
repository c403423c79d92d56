import type { Queryable } from "./database.ts";

/** How the index is, as any process can read it from the database. */
export type IndexStatus = {
  state: "missing" | "starting" | "backfilling" | "live" | "halted";
  /** Why it is not live, for an operator. */
  reason: string | null;
  fromBlock: number | null;
  indexedBlock: number | null;
  indexedTime: number | null;
  headBlock: number | null;
  headTime: number | null;
  /** How far the index is behind the chain's head, in seconds of block time. */
  lagSeconds: number | null;
  /** Milliseconds since the leading indexer last reported, by the database's clock: large = no indexer runs. */
  silentMs: number | null;
};

type Row = {
  state: IndexStatus["state"];
  reason: string | null;
  from_block: number;
  block_number: number;
  block_time: number;
  head_block: number;
  head_time: number;
  silent_ms: number;
};

/** Reads the index's state: one row of two one-row tables. */
export async function indexStatus(db: Queryable): Promise<IndexStatus> {
  const { rows } = await db.query<Row>(`
    select s.state, s.reason, c.from_block, c.block_number, c.block_time,
      greatest(s.head_block, c.block_number) as head_block, greatest(s.head_time, c.block_time) as head_time,
      (extract(epoch from clock_timestamp() - s.updated_at) * 1000)::float8 as silent_ms
    from chain.checkpoint c cross join chain.status s`);
  const row = rows[0];
  if (!row) {
    return {
      state: "missing",
      reason: "the chain has not been indexed yet",
      fromBlock: null,
      indexedBlock: null,
      indexedTime: null,
      headBlock: null,
      headTime: null,
      lagSeconds: null,
      silentMs: null,
    };
  }
  return {
    state: row.state,
    reason: row.reason,
    fromBlock: row.from_block,
    indexedBlock: row.block_number,
    indexedTime: row.block_time,
    headBlock: row.head_block,
    headTime: row.head_time,
    lagSeconds: Math.max(0, row.head_time - row.block_time),
    silentMs: row.silent_ms,
  };
}
