import type pg from "pg";
import type { Client } from "../../db/database.ts";
import { pipeline, runPrepared } from "../../db/pipeline.ts";
import { withTransaction } from "../../db/withTransaction.ts";
import type { SplitterDeployment, FetchedRange } from "../fetch/fetchedRange.ts";
import type { Batch } from "../reduce/batch.ts";
import { type TokenChanges, takeTokenChanges } from "../reduce/tokenChanges.ts";
import type { AccountIds } from "./accountIds.ts";
import { type Checkpoint, lockCheckpoint } from "./checkpoint.ts";
import { insertRows } from "./copyRows.ts";
import { notifyOutbox, writeOutbox, type Written } from "./writeOutbox.ts";
import { refreshWindows } from "./refreshWindows.ts";
import { writeBalances } from "./writeBalances.ts";
import { writeCandles } from "./writeCandles.ts";
import { writeTokenState } from "./writeTokenState.ts";
import { writeTotals } from "./writeTotals.ts";
import { writeTraders } from "./writeTraders.ts";
import { writeTrades } from "./writeTrades.ts";

/** Blocks that the reorg window holds at the least, however long ago they were: a quiet chain reorganises too. */
export const minWindowBlocks = 64;

/** What of a range is committed beside its reduced rows. */
export type CommittedRange = Pick<FetchedRange, "from" | "to" | "end" | "headers" | "splitterDeployments">;

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
  const changes = takeTokenChanges(batch);
  await withTransaction(pool, async (client) => {
    const [before, ids] = await pipeline(client, [
      () => lockCheckpoint(client, options.fence),
      () => accountIds.resolve(client, accountsOf(batch, changes)),
    ]);
    if (before.blockNumber !== range.from - 1) {
      throw new CheckpointMovedError(`the index is at block ${before.blockNumber}, not ${range.from - 1}`);
    }
    const journalId = range.headers === null ? null : batch.id;
    const written = await writeRows(client, batch, changes, range, ids, journalId, () => accountIds.insertNew(client));
    await pipeline(client, [
      () => (journalId === null ? tellBatch(client, range) : writeOutbox(client, batch, range.to, written)),
      () => writeHeaders(client, batch.id, range, options.windowTime),
      () =>
        runPrepared(
          client,
          "update chain.checkpoint set block_number = $1, block_hash = $2, block_time = $3, batch_id = $4",
          [checkpoint.blockNumber, checkpoint.blockHash, checkpoint.blockTime, checkpoint.batchId],
        ),
    ]);
  });
  accountIds.committed();
  return checkpoint;
}

/** Writes the rows, and computes the windows where the batch is near the head. */
async function writeRows(
  client: Client,
  batch: Batch,
  changes: TokenChanges,
  range: CommittedRange,
  ids: ReadonlyMap<string, number>,
  journalId: number | null,
  insertAccounts: () => Promise<void>,
): Promise<Written> {
  const writeWindows = async () => (journalId === null ? [] : await refreshWindows(client, range.end.time, journalId));
  const [, , , , candles, refreshed] = await pipeline(client, [
    () => insertRows(client, "tokens", batch.launches),
    () => writeTraders(client, changes.traders, ids, journalId),
    () => writeTotals(client, batch, journalId),
    () => writeTokenState(client, changes.states, journalId),
    () => writeCandles(client, batch.candles, journalId),
    // Reads what was written above.
    writeWindows,
    // Adds to the token's state.
    () => writeBalances(client, changes.balances, ids, journalId),
    insertAccounts,
    () => writeTrades(client, batch.trades, ids),
    () => insertRows(client, "fee_events", batch.feeEvents),
    () => insertRows(client, "treasury_changes", batch.treasuryChanges),
    () => insertRows(client, "topups", batch.topups, "on conflict do nothing"),
    () => insertRows(client, "eth_usd", [...batch.ethUsd.values()]),
    () => writeBirths(client, range.splitterDeployments),
    () => insertRows(client, "splitter_events", batch.splitterEvents, "on conflict do nothing"),
  ]);
  return { candles, refreshed };
}

/** Tells that so many blocks were indexed at once: whoever follows reads everything anew. */
async function tellBatch(client: Client, range: CommittedRange): Promise<void> {
  const payload = JSON.stringify({ from_block: range.from, to_block: range.to });
  await pipeline(client, [
    () =>
      runPrepared(client, "insert into chain.outbox (block_number, kind, payload) values ($1, 'batch', $2)", [
        range.to,
        payload,
      ]),
    () => notifyOutbox(client),
  ]);
}

function accountsOf(batch: Batch, changes: TokenChanges): Set<string> {
  const accounts = new Set<string>();
  for (const trade of batch.trades) accounts.add(trade.maker).add(trade.recipient);
  for (const { account } of changes.balances) accounts.add(account);
  return accounts;
}

async function writeBirths(client: Client, births: readonly SplitterDeployment[]): Promise<void> {
  const insert = (table: string, rows: readonly object[]) => insertRows(client, table, rows, "on conflict do nothing");
  await pipeline(client, [
    () =>
      insert(
        "splitters",
        births.map((birth) => birth.splitter),
      ),
    () =>
      insert(
        "splitter_payees",
        births.flatMap((birth) => birth.payees),
      ),
    () =>
      insert(
        "splitter_events",
        births.flatMap((birth) => birth.events),
      ),
  ]);
}

/** Keeps the headers of the window, and always the newest batch end below it: what can be gone back to. */
async function writeHeaders(client: Client, batchId: number, range: CommittedRange, windowTime: number): Promise<void> {
  const headers = range.headers ?? [{ number: range.to, hash: range.end.hash, time: range.end.time }];
  await pipeline(client, [
    () =>
      insertRows(
        client,
        "headers",
        headers.map((header) => ({
          block_number: header.number,
          block_hash: header.hash,
          block_time: header.time,
          batch_id: batchId,
          is_batch_end: header.number === range.to,
        })),
      ),
    () =>
      runPrepared(
        client,
        `with floor as (
           select block_number, batch_id from chain.headers
           where is_batch_end and ((block_time < $1 and block_number <= $2) or block_number = $3)
           order by block_number desc limit 1
         ), gone as (
           delete from chain.headers h using floor f where h.block_number < f.block_number
         )
         delete from chain.undo u using floor f where u.batch_id <= f.batch_id`,
        // A batch without headers cannot be undone: nothing below its end can be gone back to.
        [windowTime, range.to - minWindowBlocks, range.headers === null ? range.to : null],
      ),
  ]);
}
