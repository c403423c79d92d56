import type { ResolvedSignal } from "@slipway/quant/signals/trackRecord";
import { runSignalJudge } from "../../compute/runSignalJudge.ts";
import { lockUntilCommit } from "../../db/advisoryLocks.ts";
import type { Database } from "../../db/database.ts";
import { withTransaction } from "../../db/withTransaction.ts";
import { toKey } from "./emissionQueries.ts";
import { haveRecordsChanged, listResolved, type StoredResolved, storeRecords } from "./recordQueries.ts";
import { toStoredRecords } from "./toRecord.ts";

/**
 * Computes the records of all strategies and markets where a signal was resolved since, on a thread of its own, and
 * stores them: they belong together, since each says how many were tried.
 *
 * @param now - Unix seconds.
 * @returns How many records were computed.
 */
export async function writeRecords(db: Pick<Database, "api">, now: number): Promise<number> {
  if (!(await haveRecordsChanged(db.api))) return 0;
  const signals = await listResolved(db.api);
  const records = toStoredRecords(await runSignalJudge(signals.map(toResolvedSignal)), signals, now);
  await withTransaction(db.api, async (client) => {
    await lockUntilCommit(client, "signals");
    await storeRecords(client, records);
  });
  return records.length;
}

/** A stored signal as records are computed from. */
export function toResolvedSignal(row: StoredResolved): ResolvedSignal {
  return {
    ...{ market: String(row.market_id), strategy: toKey(row), closedAt: row.closed_at, resolvedAt: row.resolved_at },
    ...{ price: row.price, exitPrice: row.exit_price, return: row.net_return, cost: row.cost },
    confidence: row.confidence,
  };
}
