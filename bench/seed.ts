import { parseArgs } from "node:util";
import { migrate } from "@slipway/server/db/migrate";
import pg from "pg";
import { pino } from "pino";
import { seedIndex } from "./seedIndex.ts";

/**
 * Fills an empty database with a synthetic index: `node bench/seed.ts --database <url> [--tokens 10000] [--trades
 * 10000000]`. `bench/query.ts` does this itself on its own database.
 */
const { values } = parseArgs({
  options: {
    database: { type: "string", default: process.env.DATABASE_URL ?? "" },
    tokens: { type: "string", default: "10000" },
    trades: { type: "string", default: "10000000" },
  },
});
if (values.database === "") {
  process.stderr.write("Name an empty database: --database postgres://... or DATABASE_URL.\n");
  process.exit(64);
}

const pool = new pg.Pool({ connectionString: values.database, max: 4 });
await migrate(pool, pino({ level: "warn" }));
const started = performance.now();
const seconds = () => ((performance.now() - started) / 1000).toFixed(0);
await seedIndex(pool, {
  tokens: Number(values.tokens),
  trades: Number(values.trades),
  headTime: Math.floor(Date.now() / 1000),
  progress: (trades) => process.stdout.write(`  ${trades.toLocaleString("en")} trades after ${seconds()} s\n`),
});
process.stdout.write(`${values.tokens} tokens and ${values.trades} trades in ${seconds()} s\n`);
await pool.end();
