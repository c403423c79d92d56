/**
 * Runs Ponder's backfill from an empty database to the block that Ponder treats as final. The time starts at its first
 * RPC request, so it excludes the start of the program, and ends when Ponder reports that it is ready. Prints the
 * result as a line of JSON.
 *
 * node bench/peers/runPonder.ts <folder> <rpc url> <database url> <manifest>
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { getFreePort } from "@slipway/dev/process/getFreePort";
import { manifestSchema } from "@slipway/protocol/manifest";
import pg from "pg";
import { getCpuSeconds, peakMemoryMb } from "../index/processUsage.ts";

const [folder, rpcUrl, databaseUrl, manifestPath] = process.argv.slice(2) as [string, string, string, string];
const manifest = manifestSchema.parse(JSON.parse(readFileSync(manifestPath, "utf8")));
const longestSeconds = 900;
const schema = "bench_ponder";
const program = "node_modules/ponder/dist/esm/bin/ponder.js";
const port = await getFreePort();

const ponder = spawn(
  process.execPath,
  [program, "start", "--schema", schema, "--port", String(port), "--log-level", "warn"],
  {
    cwd: folder,
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      RPC_URL: rpcUrl,
      LAUNCH_FACTORY: manifest.current.launch_factory.address,
      WRAPPED_NATIVE: manifest.wrapped_native.address,
      PONDER_TELEMETRY_DISABLED: "1",
    },
    stdio: ["ignore", "inherit", "inherit"],
  },
);
const deadline = Date.now() + longestSeconds * 1000;
while (!(await isReady())) {
  if (ponder.exitCode !== null || Date.now() > deadline) {
    ponder.kill("SIGKILL");
    throw new Error("Ponder did not finish");
  }
  await new Promise((resolve) => setTimeout(resolve, 20));
}
const readyAt = Date.now();
const cpuSeconds = getCpuSeconds(ponder.pid!);
const peakMb = peakMemoryMb(ponder.pid!);
const { firstRequestAt } = (await (await fetch(`${rpcUrl}/stats`)).json()) as { firstRequestAt: number };
const client = new pg.Client({ connectionString: databaseUrl });
await client.connect();
const { rows } = await client.query<{ swaps: number }>(`select count(*)::int as swaps from ${schema}.trade`);
await client.end();
ponder.kill("SIGKILL");
await new Promise((resolve) => ponder.once("exit", resolve));
console.log(JSON.stringify({ swaps: rows[0]!.swaps, seconds: (readyAt - firstRequestAt) / 1000, cpuSeconds, peakMb }));

async function isReady(): Promise<boolean> {
  return await fetch(`http://127.0.0.1:${port}/ready`).then(
    (response) => response.status === 200,
    () => false,
  );
}
