import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { readThreats, toThreatTable } from "./checkThreats.ts";
import { repositoryRoot } from "./sourceFiles.ts";
import type { VitestReport } from "./vitestReporter.ts";

const gates: Record<string, string> = {
  typecheck: "tsc -b",
  biome: "biome check --error-on-warnings --max-diagnostics=100",
  canary: "node tools/checkCanary.ts",
  oxlint: "oxlint --type-aware --deny-warnings",
  knip: "knip --no-config-hints",
  imports: "node tools/checkImports.ts",
  sizes: "node tools/checkFileSizes.ts",
  threats: "node tools/checkThreats.ts",
};
const contracts: Record<string, string> = {
  artifacts: "node contracts/tools/generate.ts --check",
  trees: "node contracts/tools/checkTrees.ts",
  mutants: "node contracts/tools/mutationReport.ts --check",
  vendor: "node contracts/vendor/check.ts",
  gas: "node contracts/tools/gasTable.ts --check",
  contracts: "forge test",
};
const checks: Record<string, string> = { ...gates, ...contracts };
/** Vitest's projects by run: one that starts a stack for all of its tests has a run of its own. */
const vitestRuns = [
  ["conformance"],
  ["fuzz"],
  ["unit", "integration", "simulation", "resilience", "security", "browser"],
];
const matrixCheck = "node tests/support/conformance/checkMatrix.ts";
const names = [...Object.keys(checks), ...vitestRuns.flat()];

const usage = `npm test -- [NAME]...

Runs everything, or what is named: ${names.join(", ")}; "gates" is what npm run lint runs. "attacks" runs the tests with
the id of an attack or fault. Ends with a table and the line "N passed, N failed". A test of real processes that fails
is run once more, and named as flaky if it passes then.
`;

type Run = { output: string; exitCode: number; seconds: number };

/** Runs a command, with the dependencies' programs first in PATH. With `report`, its output is passed on. */
async function run(command: string, report?: string): Promise<Run> {
  const startedAt = performance.now();
  const PATH = [join(repositoryRoot, "node_modules", ".bin"), process.env.PATH ?? ""].join(delimiter);
  const env = { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0", PATH, ...(report && { TEST_REPORT: report }) };
  const [program, ...args] = command.split(" ");
  const child = spawn(program!, args, { cwd: repositoryRoot, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      if (report) process.stdout.write(chunk);
      else output += chunk.toString();
    });
  }
  const exitCode = await new Promise<number>((resolve) => {
    child.on("error", () => resolve(127)).on("close", (code) => resolve(code ?? 128));
  });
  return { output, exitCode, seconds: (performance.now() - startedAt) / 1_000 };
}

/** forge's tests by its output. */
export function parseForgeTests(output: string): VitestReport["tests"] {
  const outcomes = [...output.matchAll(/^\[(PASS|FAIL).*?\]\s+(\w+)\(/gm)];
  return outcomes.map(([, outcome, name]) => ({ name: name!, passed: outcome === "PASS" }));
}

const results: { name: string; passed: number; failed: number; seconds: number }[] = [];
const tests: VitestReport["tests"] = [];
const flaky: string[] = [];

/** A command that counts as one check by its exit code, or forge with its tests. What failed prints its output. */
async function check(name: string, command: string): Promise<void> {
  const { output, exitCode, seconds } = await run(command);
  const own = command.startsWith("forge") ? parseForgeTests(output) : [{ name, passed: exitCode === 0 }];
  const passed = own.filter((test) => test.passed).length;
  const failed = Math.max(own.length - passed, exitCode !== 0 || own.length === 0 ? 1 : 0);
  tests.push(...own);
  results.push({ name, passed, failed, seconds });
  process.stdout.write(`${failed > 0 ? output : ""}${failed > 0 ? "FAILED" : "ok"} ${name} ${seconds.toFixed(1)} s\n`);
}

async function vitest(projects: readonly string[], options: string): Promise<void> {
  const path = join(repositoryRoot, ".cache", "test", `${projects[0]}.json`);
  rmSync(path, { force: true });
  const chosen = projects.map((project) => `--project=${project}`).join(" ");
  const command = `vitest run ${chosen} --reporter=default --reporter=./tools/vitestReporter.ts${options}`;
  const { exitCode, seconds } = await run(command, path);
  let report: VitestReport | null = null;
  try {
    report = JSON.parse(readFileSync(path, "utf8")) as VitestReport;
  } catch {
    // Vitest ended before its reporter: a failure below.
  }
  const own = Object.entries(report?.projects ?? {}).map(([name, counts]) => ({ name, ...counts }));
  results.push(...own);
  tests.push(...(report?.tests ?? []));
  flaky.push(...(report?.flaky ?? []));
  // An error outside of the tests.
  if (exitCode !== 0 && own.every(({ failed }) => failed === 0))
    results.push({ name: projects.join("+"), passed: 0, failed: 1, seconds });
}

async function main(args: readonly string[]): Promise<number> {
  const unknown = args.filter((name) => !names.includes(name) && name !== "gates" && name !== "attacks");
  if (unknown.length > 0) process.stdout.write(usage);
  if (unknown.length > 0) return args.includes("--help") ? 0 : 64;
  const isAttacks = args.includes("attacks");
  const isChosen = (name: string) =>
    args.length === 0 || args.includes(name) || (args.includes("gates") && name in gates);
  const startedAt = performance.now();
  const runChecks = async () => {
    if (isAttacks) await check("contracts", "forge test --match-test C8_");
    for (const [name, command] of Object.entries(checks)) if (isChosen(name)) await check(name, command);
  };
  const runVitest = async () => {
    for (const projects of vitestRuns) {
      const chosen = projects.filter((name) => isChosen(name) || (isAttacks && name !== "conformance"));
      if (chosen.length > 0) await vitest(chosen, isAttacks ? " --testNamePattern=C[0-9]+-[0-9][0-9]" : "");
      if (chosen.includes("conformance")) await check("matrix", matrixCheck);
    }
  };
  // Half of the time of Vitest is waiting for processes: on two cores the checks fit beside it.
  await Promise.all([runChecks(), runVitest()]);

  process.stdout.write("\n");
  for (const { name, passed, failed, seconds } of results) {
    const counts = `${String(passed).padStart(6)} passed ${String(failed).padStart(4)} failed`;
    process.stdout.write(
      `${failed > 0 ? "FAILED" : "ok    "} ${name.padEnd(12)} ${counts} ${seconds.toFixed(0).padStart(6)} s\n`,
    );
  }
  for (const name of flaky) process.stdout.write(`flaky, passed at the second attempt: ${name}\n`);
  const { table, problems } = toThreatTable(readThreats(), tests);
  if (isAttacks || args.length === 0) {
    process.stdout.write(`\n${table}\n${problems.map((problem) => `FAILED ${problem}\n`).join("")}`);
    if (problems.length > 0) results.push({ name: "ids", passed: 0, failed: problems.length, seconds: 0 });
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const sum = (field: "passed" | "failed") => results.reduce((total, result) => total + result[field], 0);
  process.stdout.write(`\nIn ${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s.\n\n`);
  process.stdout.write(`${sum("passed")} passed, ${sum("failed")} failed\n`);
  return sum("failed") === 0 && sum("passed") > 0 ? 0 : 1;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
