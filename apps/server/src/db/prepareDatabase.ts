import type { Logger } from "pino";
import pg from "pg";
import type { Config } from "../config.ts";
import { grantRoles } from "./grantRoles.ts";
import { migrate } from "./migrate.ts";

/**
 * Brings the database that DATABASE_URL names to this version and gives the two roles their rights. Every process does
 * it at its start; two at once take turns.
 *
 * @throws MigrationError, or the database's own error when it cannot be reached.
 */
export async function prepareDatabase(config: Config, log: Logger): Promise<void> {
  const owner = new pg.Pool({
    connectionString: config.DATABASE_URL,
    max: 1,
    application_name: "slipway-migrate",
    connectionTimeoutMillis: 10_000,
  });
  owner.on("error", (error) => log.warn({ err: error }, "database connection lost while migrating"));
  try {
    await migrate(owner, log);
    await grantRoles(owner, config, log);
  } finally {
    await owner.end();
  }
}
