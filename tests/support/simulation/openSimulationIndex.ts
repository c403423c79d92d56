import { parseConfig } from "@slipway/server/config";
import { type Database, openDatabase } from "@slipway/server/db/database";
import type pg from "pg";
import { pino } from "pino";
import { openTestDatabase } from "../database/openTestDatabase.ts";

export type IndexerPools = Pick<Database, "indexer" | "pipelined">;

/** A separate database with the migrated schema. */
export type SimulationIndex = {
  url: string;
  /** The pools of the simulated indexer, whose connections break; all other readers use `pool`. */
  indexer: IndexerPools;
  pool: pg.Pool;
  /** Deletes every row of the index. */
  empty(): Promise<void>;
  close(): Promise<void>;
};

/** Opens the database. */
export async function openSimulationIndex(): Promise<SimulationIndex> {
  const { url, drop } = await openTestDatabase();
  const db = openDatabase(parseConfig({ DATABASE_URL: url, RPC_URL: "http://none" }), pino({ level: "silent" }));
  return {
    url,
    indexer: db,
    pool: db.api,
    empty: async () => {
      const { rows } = await db.api.query(
        "select string_agg('chain.' || tablename, ', ') as tables from pg_tables where schemaname = 'chain' and tablename !~ '^(trades|trade_partitions|sparse_candles)'",
      );
      await db.api.query(`truncate ${rows[0].tables} restart identity`);
      await db.api.query("select chain.reset_trades()");
      await db.api.query("update chain.sparse_candles set below_time = 0");
    },
    close: async () => {
      await db.close();
      await drop();
    },
  };
}
