import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "./runCommand.ts";
import { repositoryRoot } from "./sourceFiles.ts";
import { mergeSummaries, printSummary, type Summary } from "./testSummary.ts";
import type { VitestReport } from "./vitestReporter.ts";

/** With one thread each, because a second checker computes again most of the types of the first. */
const gates: Record<string, string> = {
  typecheck: "tsc -b --checkers 1 --builders 1",
  biome: "biome check --error-on-warnings --max-diagnostics=100",
  canary: "node tools/checkCanary.ts",
  oxlint: "env GOMAXPROCS=1 oxlint --type-aware --deny-warnings --threads=1",
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
  contracts: "forge test",
  // After `contracts`, whose build it uses.
  gas: "node contracts/tools/gasTable.ts --check",
};
const packages: Record<string, string> = { publish: "node tools/checkPublish.ts" };
/** Only when named, because they take minutes, and install packages or need programs of Debian: buildah, Prometheus. */
const onDemand: Record<string, string> = {
  generators: "node tests/support/generators/checkGenerators.ts",
  image: "node tools/checkImage.ts",
  monitoring: "node tests/support/monitoring/checkMonitoring.ts",
};
/** Only when named: it installs an embedded ClickHouse, and needs Debian's clickhouse-server and zookeeper. */
const engineRun = ["engine"];
const checks: Record<string, string> = { ...gates, ...contracts, ...packages };
/**
 * Vitest's projects by run: a project that starts one stack for all of its tests has its own run. The first run is as
 * long as the checks and all other runs together: a run that is alone leaves a core idle for half of the time. More at
 * once takes more CPU time: stacks and pages work for as long as a test waits.
 */
const firstRun = ["resilience", "browser", "pure", "security"];
/** The runs beside the first one, in two sequences at the same time: conformance and fuzz have one worker each. */
const otherRuns = [[["conformance"]], [["fuzz"], ["unit", "integration", "simulation"]]];
const vitestProjects = [...firstRun, ...otherRuns.flat(2)];
/** A tenth of the volume of foundry.toml, as in the other random tests; `--nightly` runs all of it. */
const dailyForgeVolume = { FOUNDRY_FUZZ_RUNS: "100", FOUNDRY_INVARIANT_RUNS: "26" };
const matrixCheck = "node tests/support/conformance/checkMatrix.ts";
const names = [...Object.keys(checks), ...Object.keys(onDemand), ...engineRun, ...vitestProjects];

const usage = `npm test -- [NAME | PATH]... [--shard=I/N] [--nightly]

Runs everything that CI runs, or what is named:
  NAME     ${Object.keys(gates).join(", ")} ("gates" is all of these);
           ${Object.keys(contracts).join(", ")};
           ${Object.keys(packages).join(", ")}: the tarballs of the SDK in an empty folder;
           ${Object.keys(onDemand).join(", ")}: only when named: clients of generators; the image of the
           server; alerts, dashboards and runbooks with a real Prometheus;
           engine: the history engine with real servers of ClickHouse, only when named;
           ${vitestProjects.join(", ")};
           "attacks": the tests with the id of an attack or fault.
  PATH     test files, or folders of them.
  --shard  a part of the test files of the named projects: --shard=1/2, --shard=2/2.
  --nightly  full volume: more seeds, random requests, kills and mutated pictures, and all
           compilers and versions of Node for the SDK.

Ends with a table of seconds, the failures and the line "N passed, N failed". A test of real processes that fails is run
once more and listed as flaky if it passes then; with CI_STRICT=1 that is a failure. "npm test -- merge FOLDER" adds up
the summaries of several machines.
`;

type Options = { chosen: string[]; paths: string[]; shard: string | null };

const summary: Summary = { results: [], tests: [], failed: [], flaky: [], files: [] };
/** The last lines of a failed check's output that the summary shows. */
const shownLines = 12;

/** Parses forge's tests from its output. */
export function parseForgeTests(output: string): VitestReport["tests"] {
  const outcomes = [...output.matchAll(/^\[(PASS|FAIL).*?\]\s+(\w+)\(/gm)];
  return outcomes.map(([, outcome, name]) => ({ name: name!, passed: outcome === "PASS" }));
}

/**
 * Runs a command, which counts as one check by its exit code; forge counts with its tests. Prints the output of a
 * failure.
 */
async function check(name: string, command: string): Promise<void> {
  const { output, exitCode, seconds } = await runCommand(command);
  const own = command.startsWith("forge") ? parseForgeTests(output) : [{ name, passed: exitCode === 0 }];
  const passed = own.filter((test) => test.passed).length;
  const failed = Math.max(own.length - passed, exitCode !== 0 || own.length === 0 ? 1 : 0);
  summary.tests.push(...own);
  if (failed > 0) summary.failed.push({ name, errors: [output.trimEnd().split("\n").slice(-shownLines).join("\n")] });
  summary.results.push({ name, passed, failed, seconds });
  process.stdout.write(`${failed > 0 ? output : ""}${failed > 0 ? "FAILED" : "ok"} ${name} ${seconds.toFixed(1)} s\n`);
}

/** Runs projects of Vitest, and adds their reports to the summary. */
async function runProjects(projects: readonly string[], options: readonly string[]): Promise<void> {
  const path = join(repositoryRoot, ".cache", "test", `${projects[0]}.json`);
  rmSync(path, { force: true });
  const chosen = projects.map((project) => `--project=${project}`);
  const reporters = ["--reporter=default", "--reporter=./tools/vitestReporter.ts"];
  const command = ["vitest", "run", ...chosen, ...reporters, ...options].join(" ");
  const { exitCode, seconds } = await runCommand(command, { TEST_REPORT: path });
  let report: VitestReport | null = null;
  try {
    report = JSON.parse(readFileSync(path, "utf8")) as VitestReport;
  } catch {
    // Vitest ended before its reporter, which counts as a failure below.
  }
  const own = Object.entries(report?.projects ?? {}).map(([name, counts]) => ({ name, ...counts }));
  summary.results.push(...own);
  summary.tests.push(...(report?.tests ?? []));
  summary.failed.push(...(report?.failed ?? []));
  summary.flaky.push(...(report?.flaky ?? []));
  summary.files.push(...(report?.files ?? []));
  // An error outside of the tests.
  if (exitCode !== 0 && own.every(({ failed }) => failed === 0))
    summary.results.push({ name: projects.join("+"), passed: 0, failed: 1, seconds });
}

function parseArguments(args: readonly string[]): Options | null {
  const flags = args.filter((argument) => argument.startsWith("--"));
  const others = args.filter((argument) => !argument.startsWith("--"));
  const isName = (argument: string) => names.includes(argument) || ["gates", "attacks"].includes(argument);
  const chosen = others.filter(isName);
  const paths = others.filter((argument) => !isName(argument));
  const shard = flags.find((flag) => /^--shard=\d+\/\d+$/.test(flag)) ?? null;
  const areFlagsKnown = flags.every((flag) => flag === shard || flag === "--nightly");
  if (!areFlagsKnown || paths.some((path) => !existsSync(path))) return null;
  if (flags.includes("--nightly")) process.env.TEST_VOLUME = "full";
  if (process.env.TEST_VOLUME !== "full") Object.assign(process.env, dailyForgeVolume);
  return { chosen, paths, shard };
}

/** Runs the chosen parts, by default all: the checks and then the other runs, beside the first run. */
async function runChosen({ chosen, shard }: Options): Promise<void> {
  const isAll = chosen.length === 0;
  const isAttacks = chosen.includes("attacks");
  const isChosen = (name: string) =>
    isAll || chosen.includes(name) || (chosen.includes("gates") && Object.hasOwn(gates, name));
  const options = [
    ...(isAttacks ? ["--testNamePattern=C[0-9]+-[0-9][0-9]"] : []),
    ...(shard === null ? [] : [shard, "--passWithNoTests"]),
  ];
  // Tells vitest.config.ts that two runs of Vitest are beside each other.
  if (isAll) process.env.TEST_BESIDE = "true";
  const runVitest = async (projects: readonly string[]) => {
    const named = projects.filter((name) => isChosen(name) || (isAttacks && name !== "conformance"));
    if (named.length > 0) await runProjects(named, options);
    if (named.includes("conformance")) await check("matrix", matrixCheck);
  };
  const runOthers = async () => {
    if (isAttacks) await check("contracts", "forge test --match-test C8_");
    for (const [name, command] of Object.entries(checks)) if (isChosen(name)) await check(name, command);
    for (const [name, command] of Object.entries(onDemand)) if (chosen.includes(name)) await check(name, command);
    if (chosen.includes("engine")) await runProjects(engineRun, options);
    const runSequence = async (runs: readonly string[][]) => {
      for (const projects of runs) await runVitest(projects);
    };
    await Promise.all(otherRuns.map(runSequence));
  };
  // The workers of a run often wait for processes: on two cores, another run fits beside them.
  await Promise.all([runOthers(), runVitest(firstRun)]);
}

/** Creates the folder of the programs and chains that several runs of Vitest need (tests/support/prepareOnce.ts). */
function createPreparedFolder(): void {
  // This is a test of another `npm test`.
  if (process.env.TEST_PREPARED !== undefined) return;
  const folder = mkdtempSync(join(tmpdir(), "slipway-prepared-"));
  process.env.TEST_PREPARED = folder;
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const [signal, exitCode] of Object.entries({ SIGINT: 130, SIGTERM: 143 }))
    process.once(signal, () => process.exit(exitCode));
}

async function main(args: readonly string[]): Promise<number> {
  if (args[0] === "merge" && args[1] !== undefined) {
    return printSummary(mergeSummaries(args[1]), true);
  }
  const options = parseArguments(args);
  if (options === null) {
    process.stdout.write(usage);
    return args.includes("--help") ? 0 : 64;
  }
  // tsc and oxlint are Go programs: fewer garbage collections save a fifth of their CPU time, for half more memory.
  process.env.GOGC ??= "400";
  createPreparedFolder();
  const startedAt = performance.now();
  if (options.paths.length > 0) {
    await runProjects(vitestProjects, options.paths);
  } else {
    await runChosen(options);
  }
  summary.seconds = (performance.now() - startedAt) / 1_000;
  if (process.env.TEST_SUMMARY) {
    mkdirSync(process.env.TEST_SUMMARY, { recursive: true });
    const file = [...options.chosen, ...(options.shard ?? "").matchAll(/\d+/g)].join("-") || "all";
    writeFileSync(join(process.env.TEST_SUMMARY, `${file}.json`), JSON.stringify(summary));
  }
  const isWhole = args.every((argument) => argument === "--nightly") || options.chosen.includes("attacks");
  return printSummary(summary, isWhole);
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
