import { parseConfig } from "@slipway/server/config";
import { prepareDatabase } from "@slipway/server/db/migrate";
import type pg from "pg";
import { pino } from "pino";

/** A connection to another database of the server. */
type Connection = Pick<pg.Pool | pg.Client, "query">;

const template = "test_template";

/**
 * Creates the template of a server: a migrated database without data.
 *
 * @param serverUrl - The URL of any database of the server.
 */
export async function createTemplate(connection: Connection, serverUrl: string): Promise<void> {
  await connection.query(`create database ${template}`);
  const settings = { DATABASE_URL: toDatabaseUrl(serverUrl, template), RPC_URL: "http://127.0.0.1:9" };
  await prepareDatabase(parseConfig(settings), pino({ level: "silent" }));
}

/**
 * Creates a database from the server's template, in a tenth of the time of the migrations. Copies the files, which in
 * memory is four times faster than logging all pages.
 */
export async function copyTemplate(connection: Connection, name: string): Promise<void> {
  await connection.query(`create database ${name} template ${template} strategy file_copy`);
}

/** Returns the URL of another database of a server. */
export function toDatabaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
