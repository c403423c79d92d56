import type { Database } from "@slipway/server/db/database";
import { insertTrade } from "./rows.ts";

/** Writes a trade of one of five tokens in each block; the time of a block is its number. Makers 1 to 3 must exist. */
export async function insertTradeBlocks(db: Database, from: number, to: number): Promise<void> {
  for (let block = from; block <= to; block++) {
    await insertTrade(db, 1 + (block % 5), block, { block_time: block, maker_id: 1 + (block % 3) });
  }
}

/** Sets the reorg window: blocks below `oldest` are final. The checkpoint is at `head`. */
export async function setReorgWindow({ indexer }: Database, oldest: number, head: number): Promise<void> {
  await indexer.query("delete from chain.headers");
  await indexer.query(
    `insert into chain.headers select n, $3 || n, n, n, true from generate_series($1::bigint, $2::bigint) n`,
    [oldest, head, "hash "],
  );
  await indexer.query("delete from chain.checkpoint");
  await indexer.query(
    `insert into chain.checkpoint (chain_id, sources, from_block, block_number, block_hash, block_time, batch_id)
     values (1, 'test', 1, $1, 'hash', $1, $1)`,
    [head],
  );
}
