import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { migrate } from "@slipway/server/db/migrate";
import { readCandles } from "@slipway/server/history/candleQueries";
import { readLatestTrades } from "@slipway/server/history/latestTradeQueries";
import pg from "pg";
import { pino } from "pino";
import { percentile } from "./percentile.ts";
import { forgetPages } from "./queryCold.ts";
import { explainStatements, type PlanNode } from "./queryPlan.ts";
import { startSeededDatabase } from "./seedDatabase.ts";
import { seededAddress } from "./seedModel.ts";
import { seedRandom } from "./seedRandom.ts";

/**
 * Bytes a trade in PostgreSQL by table, and pages and time of 300 trades and 300 candles of random tokens: as the indexer
 * writes the index, and after the worker ordered final trades and thinned final candles, in one run. The newest 2% of the
 * blocks stay in the open partition.
 * `node bench/history.ts [--tokens 20000] [--trades 2000000] [--tokens-read 300] [--dir <folder>]`; the folder keeps the
 * seeded database for the next run.
 */
const { values } = parseArgs({
  options: {
    tokens: { type: "string", default: "20000" },
    trades: { type: "string", default: "2000000" },
    "tokens-read": { type: "string", default: "300" },
    dir: { type: "string", default: ".cache/bench-history" },
  },
});
const size = { tokens: Number(values.tokens), trades: Number(values.trades) };
const pageLength = 300;
const print = (line: string) => process.stdout.write(`${line}\n`);

type Sizes = Map<string, number>;

/** Returns the bytes of a trade by table and index; partitions count as their table. */
async function measureBytes(client: pg.Client): Promise<Sizes> {
  const { rows } = await client.query<{ name: string; bytes: number }>(
    `select name, sum(bytes)::float8 as bytes from (
       select case when t.relname ~ '^trades_\\d' then 'trades' else t.relname end
           || case when i.relname is null then '' else ' (index) '
             || (select string_agg(a.attname, ' ' order by a.attnum) from pg_attribute a where a.attrelid = i.oid) end
           as name,
         case when i.oid is null then pg_table_size(t.oid) else pg_relation_size(i.oid) end as bytes
       from pg_class t
       left join lateral (
         select null::oid as oid, null::name as relname
         union all
         select c.oid, c.relname from pg_index x join pg_class c on c.oid = x.indexrelid where x.indrelid = t.oid
       ) i on true
       where t.relnamespace = 'chain'::regnamespace and t.relkind = 'r'
     ) s group by 1`,
  );
  return new Map(rows.map(({ name, bytes }) => [name, bytes / size.trades]));
}

const getName = (node: PlanNode) => node["Relation Name"] ?? node["Index Name"] ?? node["Function Name"] ?? "";

/** Pages of trades and their indexes that a plan touches, also within the function that reads the newest trades. */
function tradePages(nodes: readonly PlanNode[]): number {
  const own = (node: PlanNode): number => {
    const children = (node.Plans ?? []).reduce((sum, child) => sum + pagesOf(child), 0);
    return pagesOf(node) - children;
  };
  const pagesOf = (node: PlanNode) => node["Shared Hit Blocks"] + node["Shared Read Blocks"];
  return nodes
    .filter((node) => /^(trades_|newest_trades)/.test(getName(node)))
    .reduce((sum, node) => sum + own(node), 0);
}

/** Prints the pages of trades, and the times of trades and candles, of random tokens with at least 300 trades. */
async function measureReads(client: pg.Client, addresses: readonly string[]): Promise<void> {
  const pages: number[] = [];
  for (const address of addresses) {
    const { db, plans } = explainStatements(client);
    await readLatestTrades(db as never, address, pageLength);
    pages.push(plans.reduce((sum, plan) => sum + tradePages(plan), 0));
  }
  const time = async (read: (address: string) => Promise<unknown>) => {
    await forgetPages(client);
    const times: number[] = [];
    for (const address of addresses) {
      const started = performance.now();
      await read(address);
      times.push(performance.now() - started);
    }
    return times;
  };
  const page = { before: 10 ** 12, limit: pageLength };
  const trades = await time((address) => readLatestTrades(client as never, address, pageLength));
  const candles = await time((address) => readCandles(client as never, { ...page, address, seconds: 300 }));
  const warm = [];
  for (const address of addresses) {
    const started = performance.now();
    await readCandles(client as never, { ...page, address, seconds: 300 });
    warm.push(performance.now() - started);
  }
  const show = (numbers: readonly number[], digits: number) =>
    [0.5, 0.99].map((share) => percentile(numbers, share).toFixed(digits)).join(" / ");
  print(`300 trades of a token: pages p50/p99 ${show(pages, 0)}, cold ms p50/p99 ${show(trades, 1)}`);
  print(`300 candles of 5 minutes: cold ms p50/p99 ${show(candles, 1)}, warm ${show(warm, 1)}`);
}

async function pickTokens(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ id: number }>(
    `select token_id as id from chain.token_state where trades >= ${pageLength} order by 1`,
  );
  const random = seedRandom(11);
  return Array.from({ length: Number(values["tokens-read"]) }, () =>
    seededAddress(rows[Math.floor(random() * rows.length)]!.id),
  );
}

const seeded = await startSeededDatabase(values.dir, size);
const owner = new pg.Client({ connectionString: seeded.url.replace(/\/\w+$/, "/postgres") });
await owner.connect();
await owner.query("drop database if exists bench_history with (force)");
await owner.query(`create database bench_history template seeded_${size.tokens}_${size.trades}`);
const url = seeded.url.replace(/\/\w+$/, "/bench_history");
const pool = new pg.Pool({ connectionString: url, max: 2 });
await migrate(pool, pino({ level: "silent" }));
await pool.end();
const client = new pg.Client({ connectionString: url });
await client.connect();
await client.query("set effective_io_concurrency = 100; set synchronous_commit = on");
await client.query("vacuum analyze");
const addresses = await pickTokens(client);
print(`${size.tokens} tokens, ${size.trades} trades, load ${loadavg()[0]!.toFixed(1)}\n\nas the indexer writes it`);
const before = await measureBytes(client);
await measureReads(client, addresses);

const started = performance.now();
const { rows: heads } = await client.query<{ final: number }>(
  `select (block_number - ${Math.floor(size.trades * 0.02)})::float8 as final from chain.checkpoint`,
);
// As the worker does, part by part.
const parts = 20;
for (let part = 1; part <= parts; part++) {
  await client.query("select chain.order_trades($1, 1, 16000000)", [Math.floor((heads[0]!.final * part) / parts)]);
}
await client.query("select chain.thin_candles()");
// In operation, new candles use the space of deleted ones.
await client.query("vacuum full chain.candles");
await client.query("vacuum analyze");
print(`\nafter ${((performance.now() - started) / 1000).toFixed(0)} s of ordering and thinning`);
const after = await measureBytes(client);
await measureReads(client, addresses);

print(`\n${"bytes a trade".padEnd(72)}${"before".padStart(9)}${"after".padStart(9)}`);
const total = (sizes: Sizes) => [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
const lines = [...new Set([...before.keys(), ...after.keys()])]
  .map((name) => [name, before.get(name) ?? 0, after.get(name) ?? 0] as const)
  .filter(([, was, is]) => was >= 1 || is >= 1)
  .toSorted((a, b) => b[1] - a[1]);
for (const [name, was, is] of [...lines, ["all of chain", total(before), total(after)] as const]) {
  print(`${name.slice(0, 70).padEnd(72)}${was.toFixed(1).padStart(9)}${is.toFixed(1).padStart(9)}`);
}
await client.end();
await owner.query("drop database bench_history with (force)");
await owner.end();
await seeded.stop();
