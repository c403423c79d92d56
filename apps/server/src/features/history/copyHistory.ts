import type { Deps } from "../../deps.ts";
import { copyRange } from "../../history/engine/copyRange.ts";
import { createTables } from "../../history/engine/engineQueries.ts";
import { createHistoryState, readFinalBlock, readHistoryState } from "../../history/stateQueries.ts";
import { type Job, repeat } from "../../job.ts";

/** A range has about this many trades, so that few ranges read a partition of PostgreSQL. */
const rangeTrades = 200_000;
const maxRangeBlocks = 10_000_000;
const minRangeBlocks = 10_000;

/**
 * Starts the job that copies final trades and candles to the history engine, range by range. Does nothing without
 * HISTORY_URL. Two workers can copy the same range: the second finds the watermark moved.
 */
export function copyHistory(deps: Deps): Job {
  const { clickHouse, config, clock, db, log, metrics } = deps;
  if (clickHouse === null) return { stop: async () => undefined };
  let createdGeneration: string | null = null;
  let rangeBlocks = minRangeBlocks;

  const run = async (signal: AbortSignal) => {
    const final = await readFinalBlock(db.indexer);
    if (final === null) return false;
    await createHistoryState(db.indexer, Buffer.from(deps.ids.bytes(6)).toString("hex"));
    const state = await readHistoryState(db.indexer);
    if (state === undefined) return false;
    const engine = { clickHouse, generation: state.generation };
    if (createdGeneration !== state.generation) {
      await createTables(engine);
      createdGeneration = state.generation;
    }
    metrics.historyCopiedBlock.set(state.copied_block);
    if (final.block <= state.copied_block || final.time - state.copied_time < config.HISTORY_RANGE_SECONDS)
      return false;
    const toBlock = Math.min(final.block, state.copied_block + rangeBlocks);
    const start = { block: state.copied_block, time: state.copied_time };
    const version = Math.floor(clock.now() / 1_000);
    const copied = await copyRange(db.indexer, engine, { start, toBlock, version, signal });
    if (copied === "moved") return true;
    if (copied === "empty") {
      // Without a limit: a gap without trades can be longer than every range.
      rangeBlocks *= 4;
      return toBlock < final.block;
    }
    metrics.historyCopiedBlock.set(toBlock);
    const trades = [...copied.trades.values()].reduce((sum, { rows }) => sum + rows, 0);
    log.info({ fromBlock: start.block + 1, toBlock, trades }, "history copied");
    const wanted = Math.round(((toBlock - start.block) * rangeTrades) / Math.max(trades, 1));
    rangeBlocks = Math.max(minRangeBlocks, Math.min(maxRangeBlocks, rangeBlocks * 4, wanted));
    return toBlock < final.block;
  };

  return repeat(deps, { name: "history copy", pauseMs: config.HISTORY_POLL_MS, run });
}
