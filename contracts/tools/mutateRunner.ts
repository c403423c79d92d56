// Runs the tests on a set of artifacts, in a copy of the tests that nobody changes meanwhile.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { forgePath } from "./forgePath.ts";
import type { CreationCodes } from "./mutateArtifacts.ts";
import { repositoryRoot, tree } from "./mutateCompiler.ts";

const mutantsFolder = join(".cache", "mutants");

/** Of gas and of the shipped bytes these tests speak, which every mutant changes. */
const unfitTests = ["gas", "Bytecode.t.sol"];

/** Longer than this is an endless loop. */
const TIMEOUT_MS = 300_000;

export type TestRun = { verdict: "passed" | "failed" | "timeout"; failures: string[]; output: string };

/**
 * Copies what the tests need out of the reach of whoever edits them.
 *
 * @throws Error while another run uses the copy.
 */
export function prepareTree(): void {
  const lock = join(tree, "run.pid");
  if (existsSync(lock) && isRunning(Number(readFileSync(lock, "utf8")))) {
    throw new Error(`another mutation run is going on (process ${readFileSync(lock, "utf8")})`);
  }
  for (const folder of ["contracts", mutantsFolder]) rmSync(join(tree, folder), { recursive: true, force: true });
  mkdirSync(join(tree, mutantsFolder), { recursive: true });
  writeFileSync(lock, String(process.pid));
  for (const part of ["src", "test", "artifacts", "vendor", "tools", "README.md"]) {
    if (!existsSync(join(repositoryRoot, "contracts", part))) continue;
    cpSync(join(repositoryRoot, "contracts", part), join(tree, "contracts", part), {
      recursive: true,
      preserveTimestamps: true,
      filter: (path) => !unfitTests.some((name) => path.endsWith(join("test", name))),
    });
  }
  for (const file of ["foundry.toml", "package.json"]) cpSync(join(repositoryRoot, file), join(tree, file));
  rmSync(join(tree, "node_modules"), { force: true });
  symlinkSync(join(repositoryRoot, "node_modules"), join(tree, "node_modules"));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return pid !== process.pid;
  } catch {
    return false;
  }
}

/**
 * Runs the tests against `codes`.
 *
 * @param lane Names the folder of the artifacts: one for each run at the same time.
 * @param options Further options of `forge test`.
 * @throws Error when forge itself fails: a run without a result is no verdict.
 */
export function runTests(codes: CreationCodes, lane: string, options: readonly string[]): TestRun {
  const folder = join(mutantsFolder, lane);
  mkdirSync(join(tree, folder), { recursive: true });
  for (const [name, code] of Object.entries(codes)) {
    writeFileSync(join(tree, folder, `${name}.json`), JSON.stringify({ bytecode: `0x${code}` }));
  }
  // A counterexample of one mutant must not be replayed on the next.
  const failures = join(tree, folder, "failures");
  rmSync(failures, { recursive: true, force: true });
  const run = spawnSync(forgePath(), ["test", ...options], {
    cwd: tree,
    encoding: "utf8",
    timeout: TIMEOUT_MS,
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
      FOUNDRY_FUZZ_FAILURE_PERSIST_DIR: join(failures, "fuzz"),
      FOUNDRY_INVARIANT_FAILURE_PERSIST_DIR: join(failures, "invariant"),
    },
  });
  const output = `${run.stdout}\n${run.stderr}`;
  if (run.signal === "SIGKILL") return { verdict: "timeout", failures: [], output };
  const failed = [...new Set([...output.matchAll(/^\[FAIL.*\] (\w+)\(/gm)].map(([, name]) => name as string))];
  if (failed.length > 0) return { verdict: "failed", failures: failed, output };
  if (run.status === 0 && /Suite result: ok/.test(output)) return { verdict: "passed", failures: [], output };
  throw new Error(`forge gave no result (exit code ${run.status}):\n${output.slice(-4000)}`);
}
