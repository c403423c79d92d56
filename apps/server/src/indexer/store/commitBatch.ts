import type pg from "pg";
import type { Client } from "../../db/database.ts";
import { pipeline, pipelineLarge, runPrepared } from "../../db/pipeline.ts";
import { withTransaction } from "../../db/withTransaction.ts";
import type { EventTable } from "../events/eventTable.ts";
import { tradesTable } from "../events/poolSwap.ts";
import type { FetchedRange } from "../fetch/fetchedRange.ts";
import { type Batch, getRows, sumDays, sumTotals } from "../reduce/batch.ts";
import { type TokenChanges, takeTokenChanges } from "../reduce/tokenChanges.ts";
import type { AccountIds } from "./accountIds.ts";
import { type Checkpoint, lockCheckpoint } from "./checkpoint.ts";
import { insertRows, toJson } from "./copyRows.ts";
import { type PendingRange, writeUnconfirmedRanges } from "./unconfirmedRanges.ts";
import { saveBeforeImages } from "./undoLog.ts";
import { writeBalances } from "./writeBalances.ts";
import { copyNewCandles, writeCandles } from "./writeCandles.ts";
import { writeDayTraders } from "./writeDayTraders.ts";
import { addFirstBuys } from "./writeFirstBuys.ts";
import { type Written, writeBatchEvent, writeOutbox } from "./writeOutbox.ts";
import { refreshWindows, writeTokenState } from "./writeTokenState.ts";
import { type CostBases, loadCostBases, writeTraders } from "./writeTraders.ts";

/** Minimum blocks of the reorg window, regardless of their age: a quiet chain can reorganise too. */
export const minWindowBlocks = 64;

/** Parts of a range that are committed in addition to its reduced rows. */
export type CommittedRange = Pick<FetchedRange, "from" | "to" | "end" | "headers"> & {
  /** The unconfirmed ranges within the range. */
  unconfirmed: PendingRange[];
};

export type CommitOptions = {
  fencingToken: number;
  /** Headers with an older block time leave the reorg window, and so does the undo log of their batches. */
  windowTime: number;
  /** Whether the outbox reports the batch; false for a copy of the index. */
  publishes: boolean;
};

/** The checkpoint is not the block before this batch: an earlier commit had another outcome than the caller assumed. */
export class CheckpointMovedError extends Error {
  override name = "CheckpointMovedError";
}

/**
 * Writes the rows, checkpoint and outbox of a batch in one transaction. Within the reorg window (the range has headers)
 * also writes the undo log of the batch. The caller may reduce the next batch while a batch of final blocks is written:
 * the changes are taken out of the index state before the first statement.
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
    const [before, ids] = await pipelineLarge(client, [
      () => lockCheckpoint(client, options.fencingToken),
      () => accountIds.resolve(client, collectAccounts(batch, changes)),
    ]);
    if (before.blockNumber !== range.from - 1) {
      throw new CheckpointMovedError(`the index is at block ${before.blockNumber}, not ${range.from - 1}`);
    }
    const undoBatchId = range.headers === null ? null : batch.id;
    if (undoBatchId === null) await copyNewRows(client, batch, ids);
    const [, bases] = await pipelineLarge(client, [
      () => writeEventRows(client, batch, ids, undoBatchId === null),
      () => loadCostBases(client, changes.traders, ids),
    ]);
    const [written] = await pipelineLarge(client, [
      () => writeDerivedRows(client, batch, changes, bases, range, ids, undoBatchId),
      () => accountIds.insertNew(client),
    ]);
    const publish = async () => {
      if (!options.publishes) return;
      await (undoBatchId === null ? writeBatchEvent(client, range) : writeOutbox(client, batch, range.to, written));
    };
    await pipelineLarge(client, [
      publish,
      () => writeHeaders(client, batch.id, range, options.windowTime),
      () => writeUnconfirmedRanges(client, range.unconfirmed),
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

/** Writes derived rows. Near the head, also computes the 24 h windows. */
async function writeDerivedRows(
  client: Client,
  batch: Batch,
  changes: TokenChanges,
  bases: CostBases,
  range: CommittedRange,
  ids: ReadonlyMap<string, number>,
  undoBatchId: number | null,
): Promise<Written> {
  const writeWindows = async () =>
    undoBatchId === null ? [] : await refreshWindows(client, range.end.time, undoBatchId);
  const trades = getRows(batch, tradesTable);
  const [, , , , candles, refreshed] = await pipeline(client, [
    () => writeTotals(client, batch, undoBatchId),
    // Reads the times of the last trades before the next step writes them.
    () => writeDayTraders(client, trades, ids),
    () => writeTraders(client, changes.traders, trades, bases, ids, undoBatchId),
    () => writeTokenState(client, changes.states, undoBatchId),
    () => writeCandles(client, batch.candles, undoBatchId),
    // Reads the rows written above.
    writeWindows,
    // Updates the numbers of holders in the token state written above.
    () => writeBalances(client, changes.balances, ids, range.from, undoBatchId),
    () => addFirstBuys(client, changes.firstBuys, ids, undoBatchId),
  ]);
  return { candles, refreshed };
}

/** Minimum rows for COPY. With fewer rows, COPY's additional round trips cost more than it saves. */
const minCopyRows = 250;

function usesCopy(table: EventTable, rows: readonly object[]): boolean {
  return table.copy !== undefined && rows.length >= minCopyRows;
}

/** Writes the rows of a batch of final blocks for which COPY is the fastest. A COPY is alone on its connection. */
async function copyNewRows(client: Client, batch: Batch, ids: ReadonlyMap<string, number>): Promise<void> {
  for (const [table, rows] of batch.rows) if (usesCopy(table, rows)) await table.copy!(client, rows, ids);
  await copyNewCandles(client, batch.candles);
}

/** @param isCopied - Whether `copyNewRows` has written the rows for which COPY is the fastest. */
async function writeEventRows(
  client: Client,
  batch: Batch,
  ids: ReadonlyMap<string, number>,
  isCopied: boolean,
): Promise<void> {
  const filled = [...batch.rows].filter(([table, rows]) => rows.length > 0 && !(isCopied && usesCopy(table, rows)));
  await pipeline(
    client,
    filled.map(
      ([table, rows]) =>
        () =>
          table.write(client, rows, ids),
    ),
  );
}

/** Adds a batch's sums to the totals of its minutes, of its days and of all time. */
async function writeTotals(client: Client, batch: Batch, undoBatchId: number | null): Promise<void> {
  if (batch.totals.size === 0) return;
  const allTime = sumTotals(batch);
  const rows = [...batch.totals.values(), ...sumDays(batch), allTime];
  const sums = Object.keys(allTime).filter((column) => !["seconds", "t", "first_block"].includes(column));
  await pipeline(client, [
    () => saveBeforeImages(client, undoBatchId, "totals", rows),
    () =>
      runPrepared(
        client,
        `insert into chain.totals as totals (seconds, t, first_block, ${sums.join(", ")})
         select seconds, t, first_block, ${sums.join(", ")} from json_populate_recordset(null::chain.totals, $1::json)
         on conflict (seconds, t) do update
         set ${sums.map((sum) => `${sum} = totals.${sum} + excluded.${sum}`).join(", ")}`,
        [toJson(rows)],
      ),
  ]);
}

/** Collects all addresses that rows of the batch store as account ids. */
function collectAccounts(batch: Batch, changes: TokenChanges): Set<string> {
  const accounts = new Set<string>();
  for (const [table, rows] of batch.rows) {
    if (table.accounts === undefined) continue;
    for (const row of rows) for (const address of table.accounts(row)) accounts.add(address);
  }
  for (const { account } of changes.balances) accounts.add(account);
  return accounts;
}

/** Stores the headers of the window and the newest batch end below it: the oldest state that can be restored. */
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
        // A batch without headers cannot be undone, so no state below its end can be restored.
        [windowTime, range.to - minWindowBlocks, range.headers === null ? range.to : null],
      ),
  ]);
}
