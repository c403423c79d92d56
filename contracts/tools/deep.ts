// The deep test tier: 100,000 cases of the arithmetic, 10,000 fuzz runs for tests that launch, 100,000 for the others,
// and 2,048 x 640 invariant calls. Runs every step even if one fails, and prints the duration of each step.
//
//   node contracts/tools/deep.ts [arithmetic] [launches] [fuzz] [invariants]     default: all
//
// forge runs an invariant campaign on one core, and the market campaign takes most of the time. The runs of a campaign
// are therefore divided among processes with separate seeds. SHARDS sets their number (default 4, 1 for one process).
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { getForgePath } from "./getForgePath.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const forge = getForgePath();
const vectors = ".cache/vectors/deep.json";

interface Step {
  path: string;
  environment: Record<string, string>;
}

const steps: Record<string, Step> = {
  arithmetic: { path: "contracts/test/differential/*", environment: { SLIPWAY_VECTORS: vectors } },
  launches: {
    path: "contracts/test/{attack/{Launch,Locker}Attacks,fuzz/{Launch,LaunchFor,Opening}Fuzz}.t.sol",
    environment: { FOUNDRY_FUZZ_RUNS: "10000" },
  },
  fuzz: {
    path: "contracts/test/{attack/{Payout,Signature,Splitter,Station}Attacks,fuzz/{Splitter,Station,Vesting}Fuzz}.t.sol",
    environment: { FOUNDRY_FUZZ_RUNS: "100000" },
  },
};
const invariants = { path: "contracts/test/invariant/*", runs: 2_048, firstSeed: 0x51 };

const selected = process.argv.slice(2);
mkdirSync(join(root, ".cache", "vectors"), { recursive: true });
if (selected.length === 0 || selected.includes("arithmetic")) {
  run("vectors", process.execPath, ["contracts/tools/vectors.ts", "--count", "100000", "--out", vectors], {});
}
for (const [name, { path, environment }] of Object.entries(steps)) {
  if (selected.length > 0 && !selected.includes(name)) continue;
  run(name, forge, ["test", "--match-path", path], { FOUNDRY_PROFILE: "deep", ...environment });
}
if (selected.length === 0 || selected.includes("invariants")) await runInvariants(Number(process.env.SHARDS ?? 4));

/** Compiles once, then runs the shards concurrently; prints the output of each when it ends. */
async function runInvariants(shards: number): Promise<void> {
  const startedAt = performance.now();
  const { status } = spawnSync(forge, ["build"], { cwd: root, stdio: "inherit" });
  const isOk = status === 0 && (await Promise.all(Array.from({ length: shards }, runShard))).every(Boolean);
  report("invariants", isOk, startedAt);

  function runShard(_: unknown, index: number): Promise<boolean> {
    const runs = Math.floor((invariants.runs * (index + 1)) / shards) - Math.floor((invariants.runs * index) / shards);
    const seed = `0x${(invariants.firstSeed + index).toString(16)}`;
    const environment = { FOUNDRY_PROFILE: "deep", FOUNDRY_INVARIANT_RUNS: String(runs), FOUNDRY_FUZZ_SEED: seed };
    const output: Buffer[] = [];
    return new Promise((resolve, reject) => {
      const child = spawn(forge, ["test", "--match-path", invariants.path], {
        cwd: root,
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, ...environment },
      });
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => output.push(chunk));
      child.on("error", reject);
      child.on("close", (code) => {
        console.log(`${Buffer.concat(output)}\n`);
        report(`invariants, shard ${index + 1} of ${shards}, seed ${seed}`, code === 0, startedAt);
        resolve(code === 0);
      });
    });
  }
}

function run(name: string, command: string, args: string[], environment: Record<string, string>): void {
  const startedAt = performance.now();
  const env = { ...process.env, ...environment };
  const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit", env });
  report(name, status === 0, startedAt);
}

function report(name: string, isOk: boolean, startedAt: number): void {
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  console.log(`${name}: ${isOk ? "ok" : "FAILED"} in ${seconds} s`);
  if (!isOk) process.exitCode = 1;
}
