// The deep test tier: 100,000 cases of the arithmetic, 10,000 fuzz runs for tests that launch, 100,000 for the others,
// and 2,048 x 640 invariant calls. Runs every step even if one fails, and prints the duration of each step.
//
//   node contracts/tools/deep.ts [arithmetic] [launches] [fuzz] [invariants]     default: all
import { spawnSync } from "node:child_process";
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
    path: "contracts/test/{attack/LaunchAttacks,attack/LockerAttacks,fuzz/LaunchFuzz}.t.sol",
    environment: { FOUNDRY_FUZZ_RUNS: "10000" },
  },
  fuzz: {
    path: "contracts/test/{attack/SplitterAttacks,attack/StationAttacks,fuzz/StationFuzz}.t.sol",
    environment: { FOUNDRY_FUZZ_RUNS: "100000" },
  },
  invariants: { path: "contracts/test/invariant/*", environment: {} },
};

const selected = process.argv.slice(2);
mkdirSync(join(root, ".cache", "vectors"), { recursive: true });
if (selected.length === 0 || selected.includes("arithmetic")) {
  run("vectors", process.execPath, ["contracts/tools/vectors.ts", "--count", "100000", "--out", vectors], {});
}
for (const [name, { path, environment }] of Object.entries(steps)) {
  if (selected.length > 0 && !selected.includes(name)) continue;
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
