import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startPostgres } from "@slipway/dev/postgres/startPostgres";
import { MigrationError, migrate } from "@slipway/server/db/migrate";
import pg from "pg";
import { pino } from "pino";
import { seedIndex } from "./seedIndex.ts";

export type SeededDatabase = { url: string; stop: () => Promise<void> };

/**
 * Starts a separate PostgreSQL with a seeded index of this size in a folder. Reuses the folder, with new migrations
 * applied, if it was seeded with the same size before.
 */
export async function startSeededDatabase(
  dir: string,
  size: { tokens: number; trades: number },
): Promise<SeededDatabase> {
  mkdirSync(dir, { recursive: true });
  const postgres = await startPostgres({ dir, durable: false });
  const database = `seeded_${size.tokens}_${size.trades}`;
  const marker = join(dir, `${database}.done`);
  const url = postgres.urlFor({ database });
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  const kept = existsSync(marker) && (await isMigrated(pool));
  if (!kept) {
    await recreate(postgres.url, database);
    await migrate(pool, pino({ level: "silent" }));
    const started = performance.now();
    const seconds = () => ((performance.now() - started) / 1000).toFixed(0);
    await seedIndex(pool, {
      ...size,
      headTime: Math.floor(Date.now() / 1000),
      progress: (trades) => process.stderr.write(`  seeding: ${trades} of ${size.trades} trades, ${seconds()} s\n`),
    });
    process.stderr.write(`  seeded in ${seconds()} s\n`);
    writeFileSync(marker, "");
  }
  await pool.end();
  return { url, stop: postgres.stop };
}

/**
 * Migrates a kept database to this version; false if a migration has changed since, so the database must be recreated.
 */
async function isMigrated(pool: pg.Pool): Promise<boolean> {
  try {
    await migrate(pool, pino({ level: "silent" }));
    return true;
  } catch (error) {
    if (error instanceof MigrationError) return false;
    throw error;
  }
}

async function recreate(ownerUrl: string, database: string): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  await client.query(`drop database if exists ${database} with (force)`);
  await client.query(`create database ${database}`);
  await client.end();
}
