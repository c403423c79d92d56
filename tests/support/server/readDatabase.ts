import { startPostgres } from "@slipway/dev/postgres/startPostgres";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import { type Database, openDatabase } from "@slipway/server/db/database";
import { migrate } from "@slipway/server/db/migrate";
import { parseConfig } from "@slipway/server/config";
import { pino } from "pino";

export type ReadDatabase = { db: Database; url: string; stop: () => Promise<void> };

/** A real, empty, migrated PostgreSQL of its own. */
export async function startReadDatabase(): Promise<ReadDatabase> {
  const folder = temporaryFolder();
  const postgres = await startPostgres({ dir: folder.path, durable: false });
  const log = pino({ level: "silent" });
  const db = openDatabase(parseConfig({ DATABASE_URL: postgres.url, RPC_URL: "http://127.0.0.1:1" }), log);
  await migrate(db.indexer, log);
  return {
    db,
    url: postgres.url,
    stop: async () => {
      await db.close();
      await postgres.stop();
      folder.remove();
    },
  };
}
