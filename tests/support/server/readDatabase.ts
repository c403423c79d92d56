import { type Database, openDatabase } from "@slipway/server/db/database";
import { parseConfig } from "@slipway/server/config";
import { pino } from "pino";
import { openTestDatabase } from "../database/openTestDatabase.ts";

export type ReadDatabase = { db: Database; url: string; stop: () => Promise<void> };

/** A real, empty, migrated database of its own. */
export async function startReadDatabase(): Promise<ReadDatabase> {
  const { url, drop } = await openTestDatabase();
  const db = openDatabase(parseConfig({ DATABASE_URL: url, RPC_URL: "http://127.0.0.1:1" }), pino({ level: "silent" }));
  return {
    db,
    url,
    stop: async () => {
      await db.close();
      await drop();
    },
  };
}
