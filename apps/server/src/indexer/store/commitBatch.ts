import type pg from "pg";
import type { Client } from "../../db/database.ts";
import { withTransaction } from "../../db/withTransaction.ts";
import type { Birth, FetchedRange } from "../fetch/fetchedRange.ts";
import type { Batch } from "../reduce/batch.ts";
import { type TokenChanges, tokenChangesOf } from "../reduce/tokenChanges.ts";
import type { AccountIds } from "./accountIds.ts";
import { type Checkpoint, lockCheckpoint } from "./checkpoint.ts";
import { insertRows } from "./insertRows.ts";
import { notifyOutbox } from "./outbox.ts";
import { refreshWindows } from "./refreshWindows.ts";
import { writeBalances } from "./writeBalances.ts";
import { appendCandles, mergeCandles, type StoredCandle } from "./writeCandles.ts";
import { writeOutbox } from "./writeOutbox.ts";
import { writeTokenState } from "./writeTokenState.ts";
import { writeTotals } from "./writeTotals.ts";
import { writeTraders } from "./writeTraders.ts";
import { writeTrades } from "./writeTrades.ts";

/** Blocks that the reorg window holds at the least, however long ago they were: a quiet chain reorganises too. */
export const shortestWindow = 64;

/** What of a range is committed beside its reduced rows. */
export type CommittedRange = Pick<FetchedRange, "from" | "to" | "end" | "headers" | "births">;

export type CommitOptions = {
  fence: number;
  /** Headers older than this block time leave the reorg window, and what was kept to undo them. */
  windowTime: number;
};

/** The index is not where this batch begins: the commit before it had another end than was thought. */
export class CheckpointMovedError extends Error {
  override name = "CheckpointMovedError";
}

/**
 * Writes a batch in one transaction: rows, checkpoint and outbox, or nothing. Within the reorg window (the range has
 * its headers) it also keeps what it takes to undo the batch. A batch of final blocks may be written while the next one
 * is reduced: what the world knows of it is taken before the first statement.
 *
 * @returns The new checkpoint.
 * @throws LeadershipLostError, CheckpointMovedError
 */
export async function commitBatch(
  pool: pg.Pool,
  batch: Batch,
  range: CommittedRange,
  accountIds: AccountIds,
  options: CommitOptions,
): Promise<Checkpoint> {
  const checkpoint = {
    blockNumber: range.to,
    blockHash: range.end.hash,
    blockTime: range.end.time,
    batchId: batch.id,
  };
  const changes = tokenChangesOf(batch);
  await withTransaction(pool, async (client) => {
    const before = await lockCheckpoint(client, options.fence);
    if (before.blockNumber !== range.from - 1) {
      throw new CheckpointMovedError(`the index is at block ${before.blockNumber}, not ${range.from - 1}`);
    }
    const journalId = range.headers === null ? null : batch.id;
    await writeRows(client, batch, changes, range, accountIds, journalId);
    await writeHeaders(client, batch.id, range, options.windowTime);
    await client.query(
      "update chain.checkpoint set block_number = $1, block_hash = $2, block_time = $3, batch_id = $4",
      [checkpoint.blockNumber, checkpoint.blockHash, checkpoint.blockTime, checkpoint.batchId],
    );
  });
  accountIds.committed();
  return checkpoint;
}

async function writeRows(
  client: Client,
  batch: Batch,
  changes: TokenChanges,
  range: CommittedRange,
  accountIds: AccountIds,
  journalId: number | null,
): Promise<void> {
  const ids = await accountIds.resolve(client, accountsOf(batch, changes));
  await insertRows(client, "tokens", batch.launches);
  await writeTrades(client, batch.trades, ids);
  let candles: StoredCandle[] = [];
  if (journalId === null) await appendCandles(client, batch.candles);
  else candles = await mergeCandles(client, batch.candles, journalId);
  await writeTraders(client, changes.traders, ids, journalId);
  await writeTotals(client, batch, journalId);
  const holders = await writeBalances(client, changes.balances, ids, journalId);
  await writeTokenState(client, changes.states, holders, journalId);
  await insertRows(client, "fee_events", batch.feeEvents);
  await insertRows(client, "treasury_changes", batch.treasuryChanges);
  await insertRows(client, "topups", batch.topups, "on conflict do nothing");
  await insertRows(client, "eth_usd", [...batch.ethUsd.values()]);
  await writeBirths(client, range.births);
  await insertRows(client, "splitter_events", batch.splitterEvents, "on conflict do nothing");
  if (journalId === null) {
    const payload = JSON.stringify({ from_block: range.from, to_block: range.to });
    await client.query("insert into chain.outbox (block_number, kind, payload) values ($1, 'batch', $2)", [
      range.to,
      payload,
    ]);
    await notifyOutbox(client);
    return;
  }
  const refreshed = await refreshWindows(client, range.end.time, journalId);
  await writeOutbox(client, batch, range.to, candles, refreshed);
}

function accountsOf(batch: Batch, changes: TokenChanges): Set<string> {
  const accounts = new Set<string>();
  for (const trade of batch.trades) accounts.add(trade.maker).add(trade.recipient);
  for (const { account } of changes.balances) accounts.add(account);
  return accounts;
}

async function writeBirths(client: Client, births: readonly Birth[]): Promise<void> {
  await insertRows(
    client,
    "splitters",
    births.map((birth) => birth.splitter),
    "on conflict do nothing",
  );
  await insertRows(
    client,
    "splitter_payees",
    births.flatMap((birth) => birth.payees),
    "on conflict do nothing",
  );
  await insertRows(
    client,
    "splitter_events",
    births.flatMap((birth) => birth.events),
    "on conflict do nothing",
  );
}

/** Keeps the headers of the window, and always the newest batch end below it: what can be gone back to. */
async function writeHeaders(client: Client, batchId: number, range: CommittedRange, windowTime: number): Promise<void> {
  const headers = range.headers ?? [{ number: range.to, hash: range.end.hash, time: range.end.time }];
  await insertRows(
    client,
    "headers",
    headers.map((header) => ({
      block_number: header.number,
      block_hash: header.hash,
      block_time: header.time,
      batch_id: batchId,
      is_batch_end: header.number === range.to,
    })),
  );
  const { rows } = await client.query<{ block_number: number; batch_id: number }>(
    `select block_number, batch_id from chain.headers
     where is_batch_end and ((block_time < $1 and block_number <= $2) or block_number = $3)
     order by block_number desc limit 1`,
    // A batch without headers cannot be undone: nothing below its end can be gone back to.
    [windowTime, range.to - shortestWindow, range.headers === null ? range.to : null],
  );
  const floor = rows[0];
  if (!floor) return;
  await client.query("delete from chain.headers where block_number < $1", [floor.block_number]);
  await client.query("delete from chain.undo where batch_id <= $1", [floor.batch_id]);
}
