import { startPostgres } from "@slipway/dev/postgres/startPostgres";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import { openDatabase } from "@slipway/server/db/database";
import { migrate } from "@slipway/server/db/migrate";
import { parseConfig } from "@slipway/server/config";
import type pg from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failedOnce } from "./failedOnce.ts";
import { simulate } from "./simulate.ts";

/** SEEDS=10000 runs the long campaign, SEED=7 one seed. */
const only = process.env.SEED === undefined ? null : Number(process.env.SEED);
const count = Number(process.env.SEEDS ?? 200);
/** FIRST=200 begins behind the seeds that CI runs. */
const start = Number(process.env.FIRST ?? 0);
const perTest = 10;

const folder = temporaryFolder();
let postgres: Awaited<ReturnType<typeof startPostgres>>;
/** The simulated indexer's, whose connections break; what else looks at the database has its own. */
let indexer: pg.Pool;
let pool: pg.Pool;
let close: () => Promise<void>;

beforeAll(async () => {
  postgres = await startPostgres({ dir: folder.path, durable: false });
  const log = pino({ level: "silent" });
  const db = openDatabase(parseConfig({ DATABASE_URL: postgres.url, RPC_URL: "http://none" }), log);
  [indexer, pool] = [db.indexer, db.api];
  // A busy machine must not add faults to those of the seed: the same seed takes the same way.
  for (const { options } of [indexer, pool]) options.connectionTimeoutMillis = 60_000;
  await migrate(db.api, log);
  close = () => db.close();
});
afterAll(async () => {
  await close?.();
  await postgres?.stop();
  folder.remove();
});

async function emptyIndex(): Promise<void> {
  const { rows } = await pool.query(
    "select string_agg('chain.' || tablename, ', ') as tables from pg_tables where schemaname = 'chain'",
  );
  await pool.query(`truncate ${rows[0].tables} restart identity`);
}

async function run(seeds: readonly number[]): Promise<void> {
  for (const seed of seeds) {
    await emptyIndex();
    const { parameters, problems, ...counts } = await simulate(indexer, pool, seed);
    if (process.env.PRINT) console.log(JSON.stringify({ ...counts, ...parameters }));
    // Said at once: a long campaign prints its failures at the end.
    if (problems.length > 0) console.error(`seed ${seed}:\n${problems.join("\n")}`);
    expect(problems, JSON.stringify(parameters)).toEqual([]);
  }
}

if (only !== null) {
  test(`seed ${only} ends with every table equal to the reference`, () => run([only]));
} else {
  test("takes the same way twice with the same seed", async () => {
    for (const seed of [3, 7, 41]) {
      const draws: number[] = [];
      for (let run = 0; run < 2; run++) {
        await emptyIndex();
        draws.push((await simulate(indexer, pool, seed)).draws);
      }
      expect(draws[0], `seed ${seed}`).toBe(draws[1]);
    }
  });
  test.each(failedOnce)("seed $seed, which failed once ($why), ends equal", ({ seed }) => run([seed]));
  const batches = Array.from({ length: Math.ceil(count / perTest) }, (_, i) => start + i * perTest);
  test.each(batches)(
    "C2-01 to C2-20: 10 seeds from %i on end with every table and every client equal to the reference",
    (first) => run(Array.from({ length: Math.min(perTest, start + count - first) }, (_, i) => first + i)),
  );
}
