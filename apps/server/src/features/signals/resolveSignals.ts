import type { Database } from "../../db/database.ts";
import type { Market } from "../../markets/market.ts";
import { readBars } from "../../markets/readBars.ts";
import { getIndexedTime, listOpenSignals, storeResolutions } from "./emissionQueries.ts";
import { hour, timeLimit } from "./evaluateBars.ts";
import { fillQuietHours, type Resolution, resolveSignal } from "./resolveSignal.ts";

/** A signal without bars for longer than this stays open: its outcome is unknown. Seconds. */
const maxOpenSeconds = 30 * 24 * hour;

/**
 * Resolves open signals from stored bars. A stored outcome never changes.
 *
 * @param now - Unix seconds.
 * @returns The number of resolved signals.
 */
export async function resolveSignals(
  db: Pick<Database, "api">,
  markets: readonly Market[],
  now: number,
  signal: AbortSignal,
): Promise<number> {
  let resolved = 0;
  const open = Map.groupBy(await listOpenSignals(db.api, now - maxOpenSeconds), ({ market_id }) => market_id);
  const indexedTime = await getIndexedTime(db.api);
  for (const market of markets) {
    const signals = open.get(market.id);
    if (signals === undefined || signal.aborted) continue;
    const isPool = market.source === "pool";
    // The stored bars, not the clock, end positions: the clock can be ahead.
    const through = Math.min(now, isPool ? (indexedTime ?? 0) : (market.lastBarAt ?? 0) + hour);
    // A pool keeps its price until the next trade: the last bar before the first signal is needed too.
    const from = signals[0]!.closed_at - (isPool ? 28 * 24 * hour : 0);
    const to = Math.min(through - hour, signals.at(-1)!.closed_at + timeLimit);
    const stored = await readBars(db.api, market, 3600, { from, to });
    const bars = isPool ? fillQuietHours(stored, Math.min(through, to + hour)) : stored;
    const ends = signals.flatMap((each): { id: string; end: Resolution }[] => {
      const { id, direction, cost } = each;
      const barriers = { direction, cost, closedAt: each.closed_at, stopLoss: each.stop_loss };
      const end = resolveSignal({ ...barriers, takeProfit: each.take_profit }, bars, through);
      return end === null ? [] : [{ id, end }];
    });
    if (ends.length > 0) resolved += await storeResolutions(db.api, ends);
  }
  return resolved;
}
