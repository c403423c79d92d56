import { copyHistory } from "@slipway/server/features/history/copyHistory";
import { createOldHistory } from "@slipway/server/history/engine/oldHistory";
import { createHistory, type History } from "@slipway/server/history/history";
import { readHistoryState } from "@slipway/server/history/stateQueries";
import { historySettings } from "@slipway/server/historySettings";
import { createMetrics } from "@slipway/server/metrics";
import { type ClickHouse, createClickHouse } from "@slipway/server/providers/clickHouse/createClickHouse";
import { systemClock } from "@slipway/server/systemClock";
import { pino } from "pino";
import { seedIndex } from "../../../bench/seedIndex.ts";
import { type ReadDatabase, startReadDatabase } from "../server/readDatabase.ts";
import { headTime } from "../server/rows.ts";

export const seeded = { tokens: 60, trades: 6_000, days: 6 };
export const log = pino({ level: process.env.TEST_LOG_LEVEL ?? "silent" });

/** Opens a database with a seeded index whose last day is not final. */
export async function startSeededDatabase(): Promise<ReadDatabase> {
  const database = await startReadDatabase();
  await seedIndex(database.db.indexer, { ...seeded, headTime });
  await setFinal(database, headTime - 86_400);
  return database;
}

/** Makes all blocks up to a time final. */
export async function setFinal({ db }: ReadDatabase, time: number): Promise<void> {
  await db.indexer.query("delete from chain.headers");
  await db.indexer.query(
    `insert into chain.headers (block_number, block_hash, block_time, batch_id, is_batch_end)
     select block_number, '0x', block_time, 1, true from chain.trades where block_time <= $1
     order by block_number desc limit 1`,
    [time],
  );
}

export function openEngine(url: string, cluster?: string, timeoutMs = 20_000): ClickHouse {
  const server = historySettings.HISTORY_URL.parse(url)!;
  return createClickHouse({ server, cluster, timeoutMs, clock: systemClock });
}

export function openHistory(clickHouse: ClickHouse | null, metrics = createMetrics()): History {
  return createHistory(clickHouse && createOldHistory({ clickHouse, log, metrics }));
}

/** Runs the job until the engine has all final trades. */
export async function copyAll({ db }: ReadDatabase, clickHouse: ClickHouse): Promise<void> {
  const deps = {
    ...{ clickHouse, clock: systemClock, db, log, metrics: createMetrics() },
    config: { HISTORY_RANGE_SECONDS: 0, HISTORY_POLL_MS: 50 },
    ids: { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) },
  };
  const job = copyHistory(deps as never);
  try {
    for (const deadline = Date.now() + 100_000; ; await systemClock.sleep(50)) {
      const { rows } = await db.indexer.query("select block_number::float8 as block from chain.headers");
      const state = await readHistoryState(db.indexer);
      if (state?.copied_block === rows[0].block) break;
      if (Date.now() > deadline) throw new Error(`copied to ${state?.copied_block}`);
    }
  } finally {
    await job.stop();
  }
}

/** Removes the rows that the engine has from PostgreSQL, up to a time before the last copied candle. */
export async function detach({ db }: ReadDatabase, time: number): Promise<number> {
  const { rows } = await db.indexer.query<{ block: number }>(
    "select max(block_number)::float8 as block from chain.trades where block_time <= $1",
    [time],
  );
  const { block } = rows[0]!;
  await db.indexer.query("update chain.history set detached_block = $1, detached_time = $2", [block, time]);
  await db.indexer.query("delete from chain.trades where block_number <= $1", [block]);
  await db.indexer.query("delete from chain.candles where t <= $1", [time]);
  return block;
}
