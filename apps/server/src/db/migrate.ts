import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import pg from "pg";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import { grantRoles } from "./roles.ts";

/** The database cannot be migrated; the message says what to do. */
export class MigrationError extends Error {
  override name = "MigrationError";
}

type Migration = { name: string; sql: string; checksum: string };

const directory = new URL("./migrations/", import.meta.url);

/** Advisory lock of migrations; the same in all versions. */
const migrationLock = 7_416_033_551;

/**
 * Migrates the database: runs the pending .sql files of migrations/ in order, each in its own transaction together with
 * its entry in `slipway_migrations`. Continues after a crash; concurrent processes wait for each other.
 *
 * @returns The names of the applied files.
 * @throws MigrationError when a file changed after it ran, or the database belongs to something else.
 */
export async function migrate(pool: pg.Pool, log: Logger): Promise<string[]> {
  const migrations = await readMigrations();
  const client = await pool.connect();
  // Without a listener a closed connection would end the process; the next statement fails.
  client.on("error", () => undefined);
  try {
    await client.query("set statement_timeout = 0");
    await client.query("select pg_advisory_lock($1)", [migrationLock]);
    await claimDatabase(client);
    const applied = await readApplied(client, migrations, log);
    const added: string[] = [];
    for (const migration of migrations) {
      if (applied.has(migration.name)) continue;
      await applyMigration(client, migration);
      log.info({ migration: migration.name }, "database migrated");
      added.push(migration.name);
    }
    return added;
  } finally {
    // Closes the session, which releases the lock and the timeout setting in any case.
    client.release(true);
  }
}

async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).sort();
  return await Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, directory), "utf8");
      return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}

/** Creates the list of migrations. @throws MigrationError when our schemas exist without it. */
async function claimDatabase(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ is_migrated: boolean; schemas: string[] }>(`
    select to_regclass('public.slipway_migrations') is not null as is_migrated,
      array(select nspname::text from pg_namespace where nspname in ('chain', 'app') order by 1) as schemas`);
  const state = rows[0]!;
  if (state.is_migrated) return;
  if (state.schemas.length > 0) {
    throw new MigrationError(
      `The database has the schema ${state.schemas.join(" and ")} but no table public.slipway_migrations: it belongs to ` +
        "something else. Name an empty database in DATABASE_URL.",
    );
  }
  await client.query(`
    create table public.slipway_migrations (
      name text primary key,
      checksum text not null,
      applied_at timestamptz not null default now()
    )`);
}

async function readApplied(client: pg.PoolClient, migrations: Migration[], log: Logger): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    "select name, checksum from public.slipway_migrations order by name",
  );
  for (const row of rows) {
    const migration = migrations.find((candidate) => candidate.name === row.name);
    if (!migration) {
      log.warn({ migration: row.name }, "database migrated by a newer version");
    } else if (migration.checksum !== row.checksum) {
      throw new MigrationError(
        `The migration ${row.name} changed after it ran on this database. Restore the file; for a development ` +
          "database, start with an empty one (npm run reset).",
      );
    }
  }
  return new Set(rows.map((row) => row.name));
}

async function applyMigration(client: pg.PoolClient, migration: Migration): Promise<void> {
  try {
    await client.query("begin");
    await client.query(migration.sql);
    await client.query("insert into public.slipway_migrations (name, checksum) values ($1, $2)", [
      migration.name,
      migration.checksum,
    ]);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw new MigrationError(`The migration ${migration.name} failed: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * Migrates the database of DATABASE_URL and grants the two roles their privileges. Every process runs it at its start.
 *
 * @throws MigrationError, or the database's error when it is unreachable.
 */
export async function prepareDatabase(config: Config, log: Logger): Promise<void> {
  const owner = new pg.Pool({
    connectionString: config.DATABASE_URL,
    max: 1,
    application_name: "slipway-migrate",
    connectionTimeoutMillis: 10_000,
  });
  owner.on("error", (error) => log.warn({ err: error }, "database connection lost during migration"));
  try {
    await migrate(owner, log);
    await grantRoles(owner, config, log);
  } finally {
    await owner.end();
  }
}
