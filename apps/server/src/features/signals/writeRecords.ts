import type { ResolvedSignal } from "@slipway/quant/signals/trackRecord";
import { runSignalJudge } from "../../compute/runSignalJudge.ts";
import { lockUntilCommit } from "../../db/advisoryLocks.ts";
import type { Database } from "../../db/database.ts";
import { withTransaction } from "../../db/withTransaction.ts";
import { toKey } from "./emissionQueries.ts";
import { haveRecordsChanged, listResolved, type StoredResolved, storeRecords } from "./recordQueries.ts";
import { toStoredRecords } from "./toRecord.ts";

/**
 * Computes the records of all strategies and markets on a separate thread if the resolved signals have changed, and
 * stores them together, since each record contains the number of tried combinations.
 *
 * @param now - Unix seconds.
 * @returns The number of computed records.
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

/** Converts a stored signal to the input of the records' computation. */
export function toResolvedSignal(row: StoredResolved): ResolvedSignal {
  return {
    ...{ market: String(row.market_id), strategy: toKey(row), closedAt: row.closed_at, resolvedAt: row.resolved_at },
    ...{ price: row.price, exitPrice: row.exit_price, return: row.net_return, cost: row.cost },
    confidence: row.confidence,
  };
}
