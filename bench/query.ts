import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import pg from "pg";
import { createBenchApp } from "./queryApp.ts";
import { startSeededDatabase } from "./seedDatabase.ts";
import { seededAddress } from "./seedModel.ts";
import { seedRandom } from "./seedRandom.ts";

/**
 * Cold reads: every request asks the database, nothing is kept. Whole requests through the server's own stack (parse,
 * query, map, JSON), one at a time. `node bench/query.ts [--tokens 10000] [--trades 10000000] [--requests 400]
 * [--dir <folder>]`; the folder keeps the seeded database for the next run.
 */
const { values } = parseArgs({
  options: {
    tokens: { type: "string", default: "10000" },
    trades: { type: "string", default: "10000000" },
    requests: { type: "string", default: "400" },
    dir: { type: "string", default: ".cache/bench-database" },
  },
});
const size = { tokens: Number(values.tokens), trades: Number(values.trades) };
const aimMs = 25;

const random = seedRandom(7);
const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!;
const anyToken = () => seededAddress(1 + Math.floor(size.tokens * random()));
const busyToken = () => seededAddress(1 + Math.floor(random() * 20));
const sorts = ["volume", "market_cap", "new", "gainers"] as const;

const kinds: Record<string, () => string> = {
  ...Object.fromEntries(sorts.map((sort) => [`tokens ${sort}`, () => `/tokens?sort=${sort}&limit=${pick([50, 300])}`])),
  "tokens, rare search": () => `/tokens?q=${1000 + Math.floor(random() * 9000)}&sort=${pick(sorts)}`,
  "tokens, search of an address": () => `/tokens?q=${anyToken()}`,
  "tokens, common search": () => `/tokens?q=${pick(["amber", "boat", "keel"])}&sort=${pick(sorts)}`,
  "tokens, search that all match": () => `/tokens?q=${pick(["a", "0", "x"])}&sort=${pick(sorts)}`,
  "token, any": () => `/tokens/${anyToken()}`,
  "token, busy": () => `/tokens/${busyToken()}`,
  trades: () => `/tokens/${anyToken()}/trades?limit=300`,
  "trades, busy": () => `/tokens/${busyToken()}/trades?limit=300`,
  candles: () => `/tokens/${anyToken()}/candles?interval=${pick(["1m", "5m", "1h", "1d"])}`,
  "candles, busy": () => `/tokens/${busyToken()}/candles?interval=${pick(["1m", "5m", "1h", "1d"])}`,
  "candles, an earlier page": () =>
    `/tokens/${busyToken()}/candles?interval=1m&before=${Math.floor(Date.now() / 1000 - random() * 20 * 86_400)}`,
  analytics: () => "/analytics",
};

const database = await startSeededDatabase(values.dir, size);
const { app, close } = await createBenchApp(database.url, { READ_CACHE_BYTES: "0" });
process.stdout.write(
  `Cold reads at ${size.tokens} tokens and ${size.trades} trades; ${cpus()[0]?.model}, Node ${process.version}, load ${loadavg()[0]!.toFixed(1)} on ${cpus().length} cores\n\n`,
);
process.stdout.write(`${"".padEnd(32)}    p50 ms    p99 ms    max ms\n`);

let worst = 0;
for (const [name, path] of Object.entries(kinds)) {
  const times: number[] = [];
  for (let n = -20; n < Number(values.requests); n++) {
    const url = `/api/v1/launchpad${path()}`;
    const started = performance.now();
    const answer = await app.inject({ method: "GET", url });
    const took = performance.now() - started;
    if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.statusCode} ${answer.body}`);
    if (n >= 0) times.push(took);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))]!;
  worst = Math.max(worst, at(0.99));
  const columns = [at(0.5), at(0.99), times.at(-1)!].map((ms) => ms.toFixed(2).padStart(10));
  process.stdout.write(`${name.padEnd(32)}${columns.join("")}${at(0.99) < aimMs ? "" : `   above ${aimMs} ms`}\n`);
}

const client = new pg.Client({ connectionString: database.url });
await client.connect();
const { rows } = await client.query<{ name: string; rows: number; bytes: number }>(`
  select relname as name, n_live_tup::float8 as rows, pg_total_relation_size(relid)::float8 as bytes
  from pg_stat_user_tables where schemaname = 'chain' order by 3 desc limit 6`);
const total = await client.query<{ bytes: number }>("select pg_database_size(current_database())::float8 as bytes");
await client.end();
process.stdout.write("\n");
for (const row of rows) {
  const each = row.rows === 0 ? "" : `${(row.bytes / row.rows).toFixed(1)} bytes a row`;
  process.stdout.write(`${row.name.padEnd(16)} ${(row.bytes / 2 ** 20).toFixed(0).padStart(8)} MB  ${each}\n`);
}
process.stdout.write(
  `\nratio: worst cold p99 ${worst.toFixed(1)} ms = ${(worst / aimMs).toFixed(2)} x the aim of ${aimMs} ms; `,
);
process.stdout.write(`${(total.rows[0]!.bytes / size.trades).toFixed(0)} bytes on disk a trade, everything counted\n`);
await close();
await database.stop();
process.exit(0);
