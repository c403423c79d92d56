/**
 * npm run bench -- index. Records the chain once, then measures several times in turn, each on an empty database of the
 * same PostgreSQL: the bare floor, Slipway's backfill, and Ponder if `npm run bench -- peers` has installed it. Prints
 * the medians and their ratios (bench/README.md). Linux.
 *
 * node bench/index/run.ts [blocks] [launches] [mean swaps a block]; RUNS=3, ONLY=floor,slipway, STATS=1,
 * BEFORE=FOLDER: also the backfill of another checkout, in turn with this one; BEFORE_MANIFEST=FILE if that checkout
 * refuses keys of the recorded chain's manifest
 */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startPostgres } from "@slipway/dev/postgres/startPostgres";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import { manifestSchema } from "@slipway/protocol/manifest";
import pg from "pg";
import { installedPeers } from "../peers/peers.ts";
import { getCpuSeconds } from "./processUsage.ts";
import { recordPaths } from "./recordPaths.ts";

const size = [5000, 200, 20].map((preset, i) => Number(process.argv[2 + i] ?? preset)) as [number, number, number];
const paths = recordPaths(...size);
const script = (name: string) => fileURLToPath(new URL(name, import.meta.url));
if (existsSync(paths.record) && !isCurrent(paths.manifest)) rmSync(paths.folder, { recursive: true });
if (!existsSync(paths.record))
  execFileSync(process.execPath, [script("generate.ts"), ...size.map(String)], { stdio: "inherit" });

/** Whether a recorded chain has the contracts of this checkout; an older record has another form of manifest. */
function isCurrent(manifest: string): boolean {
  return manifestSchema.safeParse(JSON.parse(readFileSync(manifest, "utf8"))).success;
}

/** The measured programs: each receives the replay's URL, an empty database and the manifest, and prints its result. */
const contenders: Record<string, string[]> = {
  floor: [script("floor.ts")],
  "floor with holders": [script("floor.ts"), "holders"],
  slipway: [script("backfill.ts")],
  ...(process.env.BEFORE ? { before: [join(process.env.BEFORE, "bench/index/backfill.ts")] } : {}),
  ...Object.fromEntries(installedPeers().map(({ name, folder }) => [name, [script("../peers/runPonder.ts"), folder]])),
};
const names = Object.keys(contenders).filter((name) => process.env.ONLY?.split(",").includes(name) ?? true);

const replay = spawn(process.execPath, [script("replay.ts"), paths.record], { stdio: ["ignore", "pipe", "inherit"] });
const port = await new Promise<number>((resolve) => {
  replay.stdout.once("data", (data) => resolve(JSON.parse(String(data)).port));
});
const replayUrl = `http://127.0.0.1:${port}`;
const folder = temporaryFolder();
const postgres = await startPostgres({ dir: folder.path });

/** The result that a contender prints, and its cost in other processes. */
type Result = { swaps: number; seconds: number; cpuSeconds: number; peakMb: number };
type Measured = Result & { postgresCpuSeconds: number; databaseMb: number };

async function measure(name: string): Promise<Measured> {
  const database = "bench_index";
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(`drop database if exists ${database} with (force)`);
  await client.query(`create database ${database}`);
  const getSize = async (): Promise<number> =>
    Number((await client.query("select pg_database_size($1) as bytes", [database])).rows[0].bytes) / 1e6;
  const emptyMb = await getSize();
  await fetch(`${replayUrl}/reset`);
  const before = getCpuSeconds(postgres.child.pid);
  const manifest = name === "before" ? (process.env.BEFORE_MANIFEST ?? paths.manifest) : paths.manifest;
  const args = [...contenders[name]!, replayUrl, postgres.urlFor({ database }), manifest];
  const result = JSON.parse((await getOutput(args)).trim().split("\n").at(-1)!) as Result;
  const postgresCpuSeconds = getCpuSeconds(postgres.child.pid) - before;
  const measured = { ...result, postgresCpuSeconds, databaseMb: (await getSize()) - emptyMb };
  await client.end();
  console.log(name, JSON.stringify(measured));
  if (process.env.STATS) console.log(await (await fetch(`${replayUrl}/stats`)).text());
  return measured;
}

async function getOutput(args: string[]): Promise<string> {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let out = "";
  child.stdout.on("data", (data) => (out += data));
  const code = await new Promise((resolve) => child.once("close", resolve));
  if (code !== 0) throw new Error(`${args[0]} failed`);
  return out;
}

const results = new Map<string, Measured[]>(names.map((name) => [name, []]));
try {
  for (let run = 0; run < Number(process.env.RUNS ?? 3); run++) {
    for (const name of names) results.get(name)!.push(await measure(name));
  }
} finally {
  replay.kill();
  await postgres.stop();
  folder.remove();
}

const medians = new Map(
  [...results].map(([name, runs]) => [name, runs.toSorted((a, b) => a.seconds - b.seconds)[runs.length >> 1]!]),
);
console.log(
  "| | wall s | swaps/s | peak MB | database MB | its CPU s | PostgreSQL's CPU s |\n|---|---|---|---|---|---|---|",
);
for (const [name, m] of medians) {
  const cells = [m.seconds.toFixed(1), Math.round(m.swaps / m.seconds), Math.round(m.peakMb), Math.round(m.databaseMb)];
  console.log(`| ${[name, ...cells, m.cpuSeconds.toFixed(1), m.postgresCpuSeconds.toFixed(1)].join(" | ")} |`);
}
const { slipway, ...others } = Object.fromEntries(medians);
for (const [name, other] of Object.entries(others)) {
  if (!slipway || !other) continue;
  const times = slipway.seconds / other.seconds;
  const rates = slipway.swaps / slipway.seconds / (other.swaps / other.seconds);
  if (name.startsWith("floor")) console.log(`Slipway takes ${times.toFixed(2)} x the time of the ${name}`);
  else console.log(`Slipway indexes ${rates.toFixed(2)} x as many swaps a second as ${name}`);
}
