/**
 * npm run bench:index. Records the chain once, then in one run: the bare floor and Slipway's backfill, several times in
 * turn, each on an empty database; prints the medians and their ratios.
 * node bench/index/run.ts [blocks] [launches] [mean swaps a block]; RUNS=3
 */
import { execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { startPostgres } from "@slipway/dev/postgres/startPostgres";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import pg from "pg";
import { recordPaths } from "./recordPaths.ts";

/** The best of the peers on work of this size, on such a machine (../shared/bench/README.md: Ponder 1.0.0). */
const bestPeerSwapsPerSecond = 3871;

const size = [5000, 200, 20].map((preset, i) => Number(process.argv[2 + i] ?? preset)) as [number, number, number];
const paths = recordPaths(...size);
const script = (name: string) => fileURLToPath(new URL(name, import.meta.url));
if (!existsSync(paths.record))
  execFileSync(process.execPath, [script("generate.ts"), ...size.map(String)], { stdio: "inherit" });

const replay = spawn(process.execPath, [script("replay.ts"), paths.record], { stdio: ["ignore", "pipe", "inherit"] });
const port = await new Promise<number>((resolve) => {
  replay.stdout.once("data", (data) => resolve(JSON.parse(String(data)).port));
});
const folder = temporaryFolder();
const postgres = await startPostgres({ dir: folder.path });

type Result = { swaps: number; seconds: number; swapsPerSecond: number; rssMb: number };
async function measure(name: string): Promise<Result> {
  const database = "bench_index";
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(`drop database if exists ${database} with (force)`);
  await client.query(`create database ${database}`);
  await client.end();
  const url = postgres.urlFor({ database });
  const child = spawn(process.execPath, [script(name), `http://127.0.0.1:${port}`, url, paths.manifest], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
  child.stdout.on("data", (data) => (out += data));
  const code = await new Promise((resolve) => child.once("exit", resolve));
  if (code !== 0) throw new Error(`${name} failed`);
  const result = JSON.parse(out.trim().split("\n").at(-1)!) as Result;
  console.log(name, JSON.stringify(result));
  return result;
}

const results: Record<string, Result[]> = { "floor.ts": [], "backfill.ts": [] };
for (let run = 0; run < Number(process.env.RUNS ?? 3); run++) {
  for (const name of Object.keys(results)) results[name]!.push(await measure(name));
}
const median = (name: string) =>
  results[name]!.toSorted((a, b) => a.seconds - b.seconds)[Math.floor(results[name]!.length / 2)]!;
const [floor, slipway] = [median("floor.ts"), median("backfill.ts")];
console.log(
  `backfill: ${Math.round(slipway.swapsPerSecond)} swaps/s, ${(slipway.swapsPerSecond / bestPeerSwapsPerSecond).toFixed(2)} x the best peer's recorded ${bestPeerSwapsPerSecond}; ` +
    `${(slipway.seconds / floor.seconds).toFixed(2)} x the time of the bare floor; peak ${Math.round(slipway.rssMb)} MB`,
);
if (process.env.STATS) console.log(await (await fetch(`http://127.0.0.1:${port}/stats`)).text());
await postgres.stop();
folder.remove();
replay.kill();
