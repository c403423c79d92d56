import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import pg from "pg";
import type { Logger } from "pino";
import { type Config, ConfigError } from "../config.ts";
import { advisoryLocks } from "./advisoryLocks.ts";
import { checkOwner, checkRoles, checkUnclaimedDatabase, connectionTimeoutMillis } from "./checkDatabase.ts";
import { isPrivilegeError } from "./explainDatabaseError.ts";
import { grantRoles } from "./roles.ts";
import { surviveLostConnections } from "./surviveLostConnections.ts";

/** This version cannot migrate the database, and no retry can help. */
export class MigrationError extends ConfigError {
  override name = "MigrationError";
}

type Migration = { name: string; sql: string; checksum: string };

const directory = new URL("./migrations/", import.meta.url);

/**
 * Migrates the database: runs the pending .sql files of migrations/ in order, each in its own transaction together with
 * its entry in `slipway_migrations`. Continues after a crash; concurrent processes wait for each other.
 *
 * @param pool - From `surviveLostConnections`: a lost connection then fails a statement, and does not end the process.
 * @param options.isShared - Also migrates a database that contains foreign tables; default false.
 * @returns The names of the applied files.
 * @throws MigrationError when a file changed after it ran, or the database belongs to another application.
 * @throws ConfigError when a privilege is missing; another error when a migration fails.
 */
export async function migrate(pool: pg.Pool, log: Logger, { isShared = false } = {}): Promise<string[]> {
  const migrations = await readMigrations();
  const client = await pool.connect();
  try {
    await client.query("set statement_timeout = 0");
    await client.query("select pg_advisory_lock($1)", [advisoryLocks.migrations]);
    await claimDatabase(client, isShared);
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

/** Returns the names of the migrations that the next start runs. */
export async function listPendingMigrations(pool: pg.Pool): Promise<string[]> {
  const names = (await readMigrations()).map(({ name }) => name);
  const { rows: tables } = await pool.query<{ exists: boolean }>(
    "select to_regclass('public.slipway_migrations') is not null as exists",
  );
  if (!tables[0]!.exists) return names;
  const { rows } = await pool.query<{ name: string }>("select name from public.slipway_migrations");
  const applied = new Set(rows.map(({ name }) => name));
  return names.filter((name) => !applied.has(name));
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

/** Creates the table of migrations. @throws MigrationError when our schemas exist without that table. */
async function claimDatabase(client: pg.PoolClient, isShared: boolean): Promise<void> {
  const { rows } = await client.query<{ is_migrated: boolean; schemas: string[] }>(`
    select exists (
        select from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'public' and c.relname = 'slipway_migrations') as is_migrated,
      array(select nspname::text from pg_namespace where nspname in ('chain', 'app') order by 1) as schemas`);
  const state = rows[0]!;
  if (state.is_migrated) return;
  if (state.schemas.length > 0) {
    throw new MigrationError([
      `DATABASE_URL: the database has the schema ${state.schemas.join(" and ")} but no table ` +
        "public.slipway_migrations: it belongs to another application; name an empty database",
    ]);
  }
  await checkUnclaimedDatabase(client, isShared);
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
  const newer: string[] = [];
  for (const row of rows) {
    const migration = migrations.find((candidate) => candidate.name === row.name);
    if (!migration) newer.push(row.name);
    else if (migration.checksum !== row.checksum) {
      throw new MigrationError([
        `DATABASE_URL: the migration ${row.name} changed after it ran on this database; run the version with the ` +
          "applied file, or name an empty database (npm run reset for the local stack's)",
      ]);
    }
  }
  // Migrations only add to the schema, so an older version works beside a newer one, and after a rollback to the older one.
  if (newer.length > 0) log.warn({ migrations: newer }, "database migrated by a newer version");
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
    throw new Error(`The migration ${migration.name} failed: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * Migrates the database of DATABASE_URL and grants the two roles their privileges. Each process calls it at its start.
 *
 * @throws ConfigError for a problem that only the operator can fix; another error while the database does not answer.
 */
export async function prepareDatabase(config: Config, log: Logger): Promise<void> {
  const owner = new pg.Pool({
    connectionString: config.DATABASE_URL,
    max: 1,
    application_name: "slipway-migrate",
    connectionTimeoutMillis,
  });
  surviveLostConnections(owner, (error) => log.warn({ err: error }, "database connection lost during migration"));
  try {
    await checkOwner(owner, config);
    await migrate(owner, log, { isShared: config.DATABASE_SHARED });
    await grantRoles(owner, config, log);
    await checkRoles(config);
  } catch (error) {
    if (error instanceof ConfigError || !isPrivilegeError(error)) throw error;
    const problem = `DATABASE_URL: its role lacks a privilege (${(error as Error).message})`;
    throw new ConfigError([`${problem}; name the role that owns the tables, or grant it that role`], { cause: error });
  } finally {
    await owner.end();
  }
}
