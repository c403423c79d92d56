import { parseConfig } from "@slipway/server/config";
import { type Database, openDatabase } from "@slipway/server/db/database";
import pg from "pg";
import { pino } from "pino";
import { openTestDatabase } from "../database/openTestDatabase.ts";

export type ReadDatabase = {
  db: Database;
  url: string;
  /** Opens a separate connection, with options such as `-c random_page_cost=1.1`. `stop` closes it. */
  connect: (options?: string) => Promise<pg.Client>;
  stop: () => Promise<void>;
};

/** Opens a separate real database, empty and migrated. */
export async function startReadDatabase(): Promise<ReadDatabase> {
  const { url, drop } = await openTestDatabase();
  const db = openDatabase(parseConfig({ DATABASE_URL: url, RPC_URL: "http://127.0.0.1:1" }), pino({ level: "silent" }));
  const clients: pg.Client[] = [];
  return {
    db,
    url,
    connect: async (options) => {
      const client = new pg.Client({ connectionString: url, ...(options !== undefined && { options }) });
      clients.push(client);
      await client.connect();
      return client;
    },
    stop: async () => {
      for (const client of clients) await client.end();
      await db.close();
      await drop();
    },
  };
}
