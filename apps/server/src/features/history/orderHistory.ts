import type { Deps } from "../../deps.ts";
import { type Job, repeat } from "../../job.ts";
import { orderTrades, pruneHolderMinutes, thinCandles } from "./partitionQueries.ts";

const pauseMs = 60_000;

/** Starts the job that puts final trades in the order of their tokens. Several workers take turns. */
export function orderHistory(deps: Deps): Job {
  const run = async () => {
    const startedAt = deps.clock.now();
    const trades = await orderTrades(deps.db.indexer);
    if (trades > 0) deps.log.info({ trades, ms: deps.clock.now() - startedAt }, "trades ordered by token");
    const candles = await thinCandles(deps.db.indexer);
    if (candles > 0) deps.log.info({ candles }, "candles deleted that follow from trades");
    const minutes = await pruneHolderMinutes(deps.db.indexer);
    if (minutes > 0) deps.log.debug({ minutes }, "minutes of holders deleted");
    return false;
  };
  return repeat(deps, { name: "history", pauseMs, run });
}
