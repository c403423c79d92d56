import type pg from "pg";
import { withTransaction } from "../../db/withTransaction.ts";
import { toFeesKey } from "../../live/outboxEvent.ts";
import type { EventCatalog } from "../events/eventModule.ts";
import { type Checkpoint, lockCheckpoint } from "./checkpoint.ts";
import { deleteUnconfirmedRanges } from "./unconfirmedRanges.ts";
import { type MutableTable, mutableTables, restoreBeforeImages } from "./undoLog.ts";
import { writeRetractedEvent } from "./writeOutbox.ts";

/**
 * Undoes all batches above a stored batch end in one transaction: deletes rows that events appended above its block,
 * restores changed rows from the undo log, and writes a retraction to the outbox. Afterwards the index equals its state
 * at the commit of that batch.
 *
 * @param publishes - Whether the outbox reports it; false for a copy of the index.
 * @throws LeadershipLostError
 */
export async function undoTo(
  pool: pg.Pool,
  events: EventCatalog,
  fencingToken: number,
  target: Checkpoint,
  publishes = true,
): Promise<void> {
  await withTransaction(pool, async (client) => {
    const current = await lockCheckpoint(client, fencingToken);
    if (current.blockNumber <= target.blockNumber) return;
    const above = [target.blockNumber];
    const trades = await client.query<{ id: string; address: string }>(
      `select t.tx_hash || ':' || t.log_index as id, k.address
       from chain.trade_rows t join chain.tokens k on k.id = t.token_id where t.block_number > $1
       order by t.block_number, t.log_index`,
      above,
    );
    const launches = await client.query<{ address: string }>(
      "select address from chain.tokens where block_number > $1 order by id",
      above,
    );
    const receipts = await client.query<{ block_number: number; log_index: number }>(
      "select block_number::float8 as block_number, log_index from chain.splitter_receipts where block_number > $1 order by 1, 2",
      above,
    );
    const touched = await client.query<{ address: string }>(
      `select distinct k.address from chain.undo u join chain.tokens k on k.id = (u.key ->> 'token_id')::int
       where u.batch_id > $1 and u.relation = 'token_state' order by 1`,
      [target.batchId],
    );
    const openings = await client.query<{ address: string }>(
      `select address from chain.openings where block_number > $1
       union select opening from chain.opening_deposits where block_number > $1
       union select opening from chain.opening_ends where block_number > $1
       union select opening from chain.opening_claims where block_number > $1 order by 1`,
      above,
    );
    for (const table of Object.keys(mutableTables)) {
      await restoreBeforeImages(client, target.batchId, table as MutableTable);
    }
    for (const event of events.modules) await event.undo?.(client, target.blockNumber);
    for (const { name } of events.tables)
      await client.query(`delete from chain.${name} where block_number > $1`, above);
    await deleteUnconfirmedRanges(client, target.blockNumber);
    await client.query("delete from chain.headers where block_number > $1", above);
    await client.query("delete from chain.undo where batch_id > $1", [target.batchId]);
    await client.query(
      "update chain.checkpoint set block_number = $1, block_hash = $2, block_time = $3, batch_id = $4",
      [target.blockNumber, target.blockHash, target.blockTime, target.batchId],
    );
    if (!publishes) return;
    await writeRetractedEvent(client, {
      above_block: target.blockNumber,
      trades: trades.rows.map((row) => row.id),
      launches: launches.rows.map((row) => row.address),
      tokens: touched.rows.map((row) => row.address),
      ...(receipts.rows.length > 0 && { fees: receipts.rows.map(toFeesKey) }),
      ...(openings.rows.length > 0 && { openings: openings.rows.map(({ address }) => address) }),
    });
  });
}
