// Runs the tests on a set of artifacts, in a working copy of the tests.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { processIdentity } from "@slipway/dev/process/processIdentity";
import type { CreationCodes } from "./buildMutantArtifacts.ts";
import { getForgePath } from "./getForgePath.ts";
import { repositoryRoot, workingCopy } from "./mutationCompiler.ts";

const mutantsFolder = join(".cache", "mutants");

/**
 * Excluded tests: tests of gas and of the released bytecode, which every mutant changes; proofs of libraries that the
 * tests compile themselves, which no mutant changes; and two tests that take longer than all others together.
 */
const excludedTests = [
  "gas",
  join("attack", "Bytecode.t.sol"),
  join("attack", "EconomicAttacks.t.sol"),
  ...["EntitlementProof", "FeePolicyProof", "SplitterCloneProof"].map((name) => join("proof", `${name}.t.sol`)),
];

/** @param path The path of a file or folder, with `test` among its parts. */
export function isExcludedTest(path: string): boolean {
  return excludedTests.some((name) => `${path}/`.includes(`${join("test", name)}/`));
}

/** Bounds the run on the unchanged contracts, only to stop a hang. */
const BASELINE_TIMEOUT_MS = 3_600_000;

export type TestRun = { verdict: "passed" | "failed" | "timeout"; failures: string[]; output: string };

/**
 * Copies contracts and tests, so that edits during the run have no effect.
 *
 * @throws Error if another run uses the working copy.
 */
export function prepareWorkingCopy(): void {
  const lock = join(workingCopy, "run.pid");
  const owner = existsSync(lock) ? Number(readFileSync(lock, "utf8")) : null;
  if (owner !== null && owner !== process.pid && processIdentity(owner) !== null) {
    throw new Error(`another mutation run is active (process ${owner})`);
  }
  for (const folder of ["contracts", mutantsFolder])
    rmSync(join(workingCopy, folder), { recursive: true, force: true });
  mkdirSync(join(workingCopy, mutantsFolder), { recursive: true });
  writeFileSync(lock, String(process.pid));
  for (const part of ["src", "test", "artifacts", "vendor", "tools", "README.md", "REVIEW.md"]) {
    if (!existsSync(join(repositoryRoot, "contracts", part))) continue;
    cpSync(join(repositoryRoot, "contracts", part), join(workingCopy, "contracts", part), {
      recursive: true,
      preserveTimestamps: true,
      filter: (path) => !isExcludedTest(path),
    });
  }
  writeFileSync(join(workingCopy, "contracts", "tools", "solc"), createCompilerScript());
  for (const file of ["foundry.toml", "package.json"]) cpSync(join(repositoryRoot, file), join(workingCopy, file));
  rmSync(join(workingCopy, "node_modules"), { force: true });
  symlinkSync(join(repositoryRoot, "node_modules"), join(workingCopy, "node_modules"));
}

/** Returns a script that answers forge's version query at each start without loading the compiler. */
function createCompilerScript(): string {
  const compiler = join(repositoryRoot, "contracts", "tools", "solc");
  const version = spawnSync(process.execPath, [compiler, "--version"], { encoding: "utf8" }).stdout;
  return `#!/bin/sh
if [ "$1" = --version ]; then cat <<'END'
${version.trimEnd()}
END
else exec "${process.execPath}" "${compiler}" "$@"; fi
`;
}

/**
 * Runs the tests against `codes`.
 *
 * @param workerName The name of the artifact folder, unique for each concurrent run.
 * @param options Additional options of `forge test`.
 * @param environment Overrides the numbers of runs.
 * @param timeoutMs A longer run counts as an endless loop. Derive it from the run on the unchanged contracts.
 * @throws Error if forge itself fails without a test result.
 */
export function runMutantTests(
  codes: CreationCodes,
  workerName: string,
  options: readonly string[],
  timeoutMs = BASELINE_TIMEOUT_MS,
  environment: Readonly<Record<string, string>> = {},
): TestRun {
  const folder = join(mutantsFolder, workerName);
  mkdirSync(join(workingCopy, folder), { recursive: true });
  for (const [name, code] of Object.entries(codes)) {
    writeFileSync(join(workingCopy, folder, `${name}.json`), JSON.stringify({ bytecode: `0x${code}` }));
  }
  // A counterexample of one mutant must not be replayed on another one.
  const failures = join(workingCopy, folder, "failures");
  rmSync(failures, { recursive: true, force: true });
  const run = spawnSync(getForgePath(), ["test", ...options], {
    cwd: workingCopy,
    encoding: "utf8",
    timeout: timeoutMs,
    killSignal: "SIGKILL",
    maxBuffer: 256 * 1024 * 1024,
    env: {
      ...process.env,
      SLIPWAY_ARTIFACTS: folder,
      NO_COLOR: "1",
      FORGE_SNAPSHOT_EMIT: "false",
      FOUNDRY_FUZZ_RUNS: "24",
      FOUNDRY_INVARIANT_RUNS: "4",
      FOUNDRY_INVARIANT_DEPTH: "24",
      ...environment,
      FOUNDRY_FUZZ_FAILURE_PERSIST_DIR: join(failures, "fuzz"),
      FOUNDRY_INVARIANT_FAILURE_PERSIST_DIR: join(failures, "invariant"),
    },
  });
  const output = `${run.stdout}\n${run.stderr}`;
  if (run.signal === "SIGKILL") return { verdict: "timeout", failures: [], output };
  // The name of a failed invariant is on a separate line after the calls that violate it.
  const names = [...output.matchAll(/^\[FAIL.*\] (\w+)\(/gm), ...output.matchAll(/^ (invariant_\w+)\(\) \(runs/gm)];
  const failed = [...new Set(names.map(([, name]) => name as string))];
  if (failed.length > 0) return { verdict: "failed", failures: failed, output };
  if (run.status === 0 && /Suite result: ok/.test(output)) return { verdict: "passed", failures: [], output };
  throw new Error(`forge gave no result (exit code ${run.status}):\n${output.slice(-4000)}`);
}
