import { globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { byExitCode, gates } from "./gates.ts";
import { repositoryRoot } from "./repositoryRoot.ts";
import type { Counts, Suite } from "./suite.ts";

/** Sums forge's summary lines: "Ran 3 tests for ...: 3 passed; 0 failed" of suites, printed once each. */
function forgeCounts(output: string): Counts | null {
  const summaries = [...output.matchAll(/Suite result: \w+\. (\d+) passed; (\d+) failed;/g)];
  if (summaries.length === 0) return null;
  const tests = [...output.matchAll(/^\[(PASS|FAIL).*?\]\s+(\w+)\(/gm)];
  const sum = (group: 1 | 2) => summaries.reduce((total, summary) => total + Number(summary[group]), 0);
  return {
    passed: sum(1),
    failed: sum(2),
    tests: tests.map(([, outcome, name]) => ({ name: name!, passed: outcome === "PASS" })),
  };
}

type VitestReport = {
  numPassedTests: number;
  numFailedTests: number;
  numFailedTestSuites: number;
  testResults: { name: string; status: string; assertionResults: { fullName: string; status: string }[] }[];
};

type VitestChoice = { files?: readonly string[]; projects?: readonly string[]; options?: readonly string[] };

function vitestSuite(
  name: string,
  title: string,
  { files = [], projects = [name], options = [] }: VitestChoice = {},
): Suite {
  const report = join(repositoryRoot, ".cache", "test", `${name}.json`);
  return {
    name,
    title,
    command: [
      "vitest",
      "run",
      ...projects.map((project) => `--project=${project}`),
      ...options,
      ...files,
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${report}`,
    ],
    count: () => {
      try {
        const { numPassedTests, numFailedTests, numFailedTestSuites, testResults } = JSON.parse(
          readFileSync(report, "utf8"),
        ) as VitestReport;
        return {
          passed: numPassedTests,
          // A file that could not be loaded has no failed test, and is a failure all the same.
          failed: Math.max(numFailedTests, numFailedTestSuites > 0 ? 1 : 0),
          failedFiles: testResults.filter(({ status }) => status === "failed").map(({ name: file }) => file),
          tests: testResults
            .flatMap(({ assertionResults }) => assertionResults)
            .filter(({ status }) => status === "passed" || status === "failed")
            .map(({ fullName, status }) => ({ name: fullName, passed: status === "passed" })),
        };
      } catch {
        return null;
      } finally {
        rmSync(report, { force: true });
      }
    },
  };
}

/** A suite that starts databases, chains and servers, which share two cores. */
const processSuite = (name: string, title: string): Suite => ({
  ...vitestSuite(name, title),
  alone: (files) => vitestSuite(name, title, { files }),
});

const contractCheck = (name: string, title: string, ...args: string[]): Suite => ({
  name,
  title,
  command: ["node", ...args],
  count: byExitCode,
});

const conformanceTitle = "Conformance: every row of the specification on a running stack";

/** What keeps the contracts' files in step with one another. */
const contractChecks = [
  contractCheck(
    "artifacts",
    "Contracts: compiled files are those of the sources",
    "contracts/tools/generate.ts",
    "--check",
  ),
  contractCheck("trees", "Contracts: every branch of every tree has its test", "contracts/tools/checkTrees.ts"),
  contractCheck("vendor", "Contracts: vendored bytecode is the published one", "contracts/vendor/check.ts"),
  contractCheck("gas", "Contracts: gas is that of the snapshots", "contracts/tools/gasTable.ts", "--check"),
];

/** Everything `npm test` runs, cheapest first: a suite of zero tests is a failure. */
export const suites: readonly Suite[] = [
  ...gates,
  ...contractChecks,
  {
    name: "contracts",
    title: "Contracts (forge: trees, fuzz, invariants, attacks)",
    command: ["forge", "test"],
    count: ({ output }) => forgeCounts(output),
  },
  vitestSuite("unit", "Unit"),
  processSuite("integration", "Integration: deployment and local stack"),
  vitestSuite("simulation", "Simulation: seeded faults against the reference"),
  {
    ...vitestSuite("conformance", conformanceTitle),
    // Whole: the matrix is made of all that one run has proven.
    alone: () => vitestSuite("conformance", conformanceTitle),
  },
  {
    name: "matrix",
    title: "Matrix: every status of every endpoint has a test that proves it",
    command: [
      "node",
      "tests/support/conformance/checkMatrix.ts",
      ...process.argv.filter((argument) => argument === "--write"),
    ],
    count: byExitCode,
  },
  processSuite("resilience", "Resilience: killed servers, reorganisations, the whole flow"),
  processSuite("security", "Security: attacks on the service"),
  processSuite("fuzz", "Fuzz: every operation asked in every way"),
];

/** The tests that carry the id of an attack or fault, wherever they are, one file after the other. */
export function attackSuites(): Suite[] {
  const pattern = /C[2-9]-\d\d/;
  const files = globSync("{packages,apps,dev,tools,tests}/**/*.test.ts", {
    cwd: repositoryRoot,
    exclude: (path) => path.includes("node_modules"),
  }).filter((path) => pattern.test(readFileSync(join(repositoryRoot, path), "utf8")));
  const title = "Attacks and faults on the service";
  const choice: VitestChoice = {
    projects: ["unit", "integration", "simulation", "resilience", "security", "fuzz"],
    options: ["--no-file-parallelism", `--testNamePattern=${pattern.source}`],
  };
  return [
    {
      name: "contract-attacks",
      title: "Attacks on the contracts (forge)",
      command: ["forge", "test", "--match-test", "C8_"],
      count: ({ output }) => forgeCounts(output),
    },
    {
      ...vitestSuite("service-attacks", title, { ...choice, files }),
      alone: (failed) => vitestSuite("service-attacks", title, { ...choice, files: failed }),
    },
  ];
}
