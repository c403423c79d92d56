import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { startReadModel } from "@slipway/server/cache/startReadModel";
import pg from "pg";
import { percentile } from "./percentile.ts";
import { createBenchApp } from "./queryApp.ts";
import { forgetPages } from "./queryCold.ts";
import { getPlans, pagesTouched, rowsRead, wholeReads } from "./queryPlan.ts";
import { startSeededDatabase } from "./seedDatabase.ts";
import { seededAddress, seededWallet } from "./seedModel.ts";
import { seedRandom } from "./seedRandom.ts";

/**
 * Cold reads: every request queries the database, without any cache. Complete requests through the server's own stack
 * (parse, query, map, JSON), one at a time. `CPU ms` is the server's part of each request; `pages` is the number of
 * pages that the statement of one request touches; `select 1` before each request shows the other load of the machine.
 * Exit code 1 if a plan scans a whole large table. `node bench/query.ts [--tokens 10000] [--trades 10000000]
 * [--requests 400] [--dir <folder>] [--cold] [--only <text>]`; the folder keeps the seeded database for the next run.
 * `--cold` removes the database's pages from memory before each kind of request; `--only trades` measures the kinds
 * with this text in their name.
 */
const { values } = parseArgs({
  options: {
    tokens: { type: "string", default: "10000" },
    trades: { type: "string", default: "10000000" },
    requests: { type: "string", default: "400" },
    dir: { type: "string", default: ".cache/bench-database" },
    cold: { type: "boolean", default: false },
    only: { type: "string", default: "" },
  },
});
const size = { tokens: Number(values.tokens), trades: Number(values.trades) };
const aimMs = 25;
/** A sequential scan is right for smaller tables. */
const minLargeRows = 5_000;
const isLarge = size.tokens >= minLargeRows;

const random = seedRandom(7);
const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!;
const anyToken = () => seededAddress(1 + Math.floor(size.tokens * random()));
const busyToken = () => seededAddress(1 + Math.floor(random() * 20));
const anyWallet = () => seededWallet(1 + Math.floor(random() * Math.max(1_000, size.tokens * 10)));
/** The wallet with the most trades of a busy token (seedIndex.ts). */
const busyWallet = () => seededWallet(1 + ((Math.floor(random() * 20) * 7919) % Math.max(1_000, size.tokens * 10)));
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
  "trades of a maker": () => `/tokens/${busyToken()}/trades?limit=300&maker=${anyWallet()}`,
  "trades of an account": () => `/tokens/${busyToken()}/trades?limit=300&account=${anyWallet()}`,
  "trades, sells": () => `/tokens/${busyToken()}/trades?limit=300&side=sell`,
  holders: () => `/tokens/${anyToken()}/holders?limit=300`,
  facts: () => `/tokens/${anyToken()}/facts`,
  "facts, busy": () => `/tokens/${busyToken()}/facts`,
  "wallet, busy": () => `/wallets/${busyWallet()}`,
  wallet: () => `/wallets/${anyWallet()}`,
  "wallet, creator": () =>
    `/wallets/0x72${Math.floor(random() * 997)
      .toString(16)
      .padStart(38, "0")}`,
  analytics: () => "/analytics",
};

const database = await startSeededDatabase(values.dir, size);
const { app, deps, close } = await createBenchApp(database.url, { READ_CACHE_BYTES: "0" });
const readModel = startReadModel(deps);
process.stdout.write(
  `Cold reads${values.cold ? " from a cold disk" : ""} at ${size.tokens} tokens and ${size.trades} trades; ${cpus()[0]?.model}, Node ${process.version}, load ${loadavg()[0]!.toFixed(1)} on ${cpus().length} cores\n\n`,
);
const client = new pg.Client({ connectionString: database.url });
await client.connect();

async function get(path: string): Promise<void> {
  const answer = await app.inject({ method: "GET", url: `/api/v1/launchpad${path}` });
  if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${answer.body}`);
}

/** Returns the milliseconds of each request, and the mean CPU time of the server. */
async function measure(path: () => string): Promise<{ times: number[]; cpuMs: number }> {
  const times: number[] = [];
  let before = process.cpuUsage();
  for (let n = -20; n < Number(values.requests); n++) {
    if (n === 0) before = process.cpuUsage();
    idle.push(await timed(() => client.query("select 1")));
    const took = await timed(() => get(path()));
    if (n >= 0) times.push(took);
  }
  const { user, system } = process.cpuUsage(before);
  return { times, cpuMs: (user + system) / 1000 / times.length };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** No plan may scan a whole large table. */
const columns = ["p50 ms", "p99 ms", "max ms", "CPU ms", "pages"];
process.stdout.write(`${"".padEnd(32)}${columns.map((column) => column.padStart(10)).join("")}\n`);

const idle: number[] = [];
let worst = 0;
let wrongPlans = 0;
for (const [name, path] of Object.entries(kinds).filter(([name]) => name.includes(values.only))) {
  if (values.cold) await forgetPages(client);
  const { times, cpuMs } = await measure(path);
  const plans = await getPlans(client, deps.db.read, () => get(path()));
  const p99 = percentile(times, 0.99);
  worst = Math.max(worst, p99);
  const whole = isLarge
    ? plans.flatMap((nodes) => wholeReads(nodes.filter((node) => rowsRead([node]) >= minLargeRows)))
    : [];
  wrongPlans += whole.length;
  const figures = [percentile(times, 0.5), p99, Math.max(...times), cpuMs].map((ms) => ms.toFixed(2));
  const pages = plans.reduce((sum, plan) => sum + pagesTouched(plan), 0);
  const shown = [...figures, String(pages)].map((figure) => figure.padStart(10)).join("");
  const remarks = [...(p99 < aimMs ? [] : [`above ${aimMs} ms`]), ...whole.map((table) => `reads all of ${table}`)];
  process.stdout.write(`${name.padEnd(32)}${shown}   ${remarks.join(", ")}`.trimEnd().concat("\n"));
}
const shown = [0.5, 0.99, 1].map((share) => percentile(idle, share).toFixed(2).padStart(10)).join("");
process.stdout.write(`${"select 1".padEnd(32)}${shown}\n`);

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
await readModel.stop();
await close();
await database.stop();
process.exit(wrongPlans > 0 ? 1 : 0);
