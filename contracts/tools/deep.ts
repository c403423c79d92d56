// The deep tier: 100,000 cases of the arithmetic, fuzz 10,000 where each run launches and 100,000 elsewhere, and the
// invariants at 2,048 x 640. Runs everything even when something fails; prints each step's time.
//
//   node contracts/tools/deep.ts [arithmetic] [launches] [fuzz] [invariants]     all by default
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { forgePath } from "./forgePath.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const forge = forgePath();
const vectors = ".cache/vectors/deep.json";

interface Step {
  path: string;
  environment: Record<string, string>;
}

const steps: Record<string, Step> = {
  arithmetic: { path: "contracts/test/differential/*", environment: { SLIPWAY_VECTORS: vectors } },
  launches: {
    path: "contracts/test/{attack/LaunchAttacks,attack/LockerAttacks,fuzz/LaunchFuzz}.t.sol",
    environment: { FOUNDRY_FUZZ_RUNS: "10000" },
  },
  fuzz: {
    path: "contracts/test/{attack/SplitterAttacks,attack/StationAttacks,fuzz/StationFuzz}.t.sol",
    environment: { FOUNDRY_FUZZ_RUNS: "100000" },
  },
  invariants: { path: "contracts/test/invariant/*", environment: {} },
};

const asked = process.argv.slice(2);
mkdirSync(join(root, ".cache", "vectors"), { recursive: true });
if (asked.length === 0 || asked.includes("arithmetic")) {
  run("vectors", process.execPath, ["contracts/tools/vectors.ts", "--count", "100000", "--out", vectors], {});
}
for (const [name, { path, environment }] of Object.entries(steps)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  run(name, forge, ["test", "--match-path", path], { FOUNDRY_PROFILE: "deep", ...environment });
}

function run(name: string, command: string, args: string[], environment: Record<string, string>): void {
  const startedAt = performance.now();
  const env = { ...process.env, ...environment };
  const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit", env });
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  console.log(`${name}: ${status === 0 ? "ok" : "FAILED"} in ${seconds} s`);
  if (status !== 0) process.exitCode = 1;
}
