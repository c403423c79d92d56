import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";
import { repositoryRoot } from "./repositoryRoot.ts";
import type { Counts, Suite } from "./suite.ts";

export type SuiteResult = Counts & {
  name: string;
  title: string;
  seconds: number;
  problem: string | null;
  /** Files that failed beside the others and passed alone. */
  unsteady?: readonly string[];
};

/** The environment of a suite: the dependencies' programs first in PATH, no colour codes in what is counted. */
function environment(): NodeJS.ProcessEnv {
  const bin = join(repositoryRoot, "node_modules", ".bin");
  return { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ""}`, NO_COLOR: "1", FORCE_COLOR: "0" };
}

/**
 * Runs a suite, and what failed of it once more alone where the suite can. What fails twice has failed; what passes then
 * is named as unsteady in the summary, to be mended.
 */
export async function runSteadily(suite: Suite): Promise<SuiteResult> {
  const first = await runSuite(suite);
  const files = first.failedFiles ?? [];
  if (first.problem === null || suite.alone === undefined || files.length === 0) return first;
  process.stdout.write(`\n... ${first.problem}: once more alone, ${files.join(" ")}\n`);
  const second = await runSuite(suite.alone(files));
  const seconds = first.seconds + second.seconds;
  if (second.problem !== null) return { ...first, seconds };
  const tests = [...(first.tests ?? []).filter(({ passed }) => passed), ...(second.tests ?? [])];
  return { ...first, tests, seconds, passed: first.passed + first.failed, failed: 0, problem: null, unsteady: files };
}

/** Runs a suite's command with its output passed through, and counts. Never rejects: what goes wrong is a failure. */
export async function runSuite(suite: Suite): Promise<SuiteResult> {
  const startedAt = performance.now();
  const [program, ...args] = suite.command;
  const run = await new Promise<{ output: string; exitCode: number }>((resolve) => {
    let output = "";
    const child = spawn(program, args, { cwd: repositoryRoot, env: environment(), stdio: ["ignore", "pipe", "pipe"] });
    const pass = (stream: NodeJS.WriteStream) => (chunk: Buffer) => {
      output += chunk.toString();
      stream.write(chunk);
    };
    child.stdout.on("data", pass(process.stdout));
    child.stderr.on("data", pass(process.stderr));
    child.on("error", (error) => resolve({ output: `${output}\n${error.message}`, exitCode: 127 }));
    child.on("close", (code, signal) => resolve({ output, exitCode: code ?? (signal ? 128 : 1) }));
  });
  const seconds = (performance.now() - startedAt) / 1000;
  const counted = suite.count(run);
  const problem = problemOf(counted, run.exitCode);
  // A suite that says nothing of its failure still adds one to the closing line.
  const failed = counted?.failed ?? 0;
  return {
    name: suite.name,
    title: suite.title,
    seconds,
    passed: counted?.passed ?? 0,
    failed: problem === null ? failed : Math.max(1, failed),
    failedFiles: counted?.failedFiles,
    tests: counted?.tests,
    problem,
  };
}

function problemOf(counted: Counts | null, exitCode: number): string | null {
  if (counted === null) return `nothing was counted (exit code ${exitCode})`;
  if (counted.failed > 0) return `${counted.failed} failed`;
  if (exitCode !== 0) return `ended with exit code ${exitCode}`;
  if (counted.passed === 0) return "ran no test";
  return null;
}
