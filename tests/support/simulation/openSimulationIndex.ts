import { startPostgres } from "@slipway/dev/postgres/startPostgres";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import { parseConfig } from "@slipway/server/config";
import { type Database, openDatabase } from "@slipway/server/db/database";
import { migrate } from "@slipway/server/db/migrate";
import type pg from "pg";
import { pino } from "pino";

export type IndexerPools = Pick<Database, "indexer" | "pipelined">;

/** A PostgreSQL of its own with the migrated schema. */
export type SimulationIndex = {
  url: string;
  /** The pools of the simulated indexer, whose connections break; all other readers use `pool`. */
  indexer: IndexerPools;
  pool: pg.Pool;
  /** Drops every row of the index. */
  empty(): Promise<void>;
  close(): Promise<void>;
};

/** Starts it; about a second. */
export async function openSimulationIndex(): Promise<SimulationIndex> {
  const folder = temporaryFolder();
  const postgres = await startPostgres({ dir: folder.path, durable: false });
  const log = pino({ level: "silent" });
  const db = openDatabase(parseConfig({ DATABASE_URL: postgres.url, RPC_URL: "http://none" }), log);
  await migrate(db.api, log);
  return {
    url: postgres.url,
    indexer: db,
    pool: db.api,
    empty: async () => {
      const { rows } = await db.api.query(
        "select string_agg('chain.' || tablename, ', ') as tables from pg_tables where schemaname = 'chain'",
      );
      await db.api.query(`truncate ${rows[0].tables} restart identity`);
    },
    close: async () => {
      await db.close();
      await postgres.stop();
      folder.remove();
    },
  };
}
