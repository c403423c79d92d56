import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { byExitCode, gates } from "./gates.ts";
import { repositoryRoot } from "./repositoryRoot.ts";
import type { Counts, Suite } from "./suite.ts";

/** Sums forge's summary lines: "Ran 3 tests for ...: 3 passed; 0 failed" of suites, printed once each. */
function forgeCounts(output: string): Counts | null {
  const summaries = [...output.matchAll(/Suite result: \w+\. (\d+) passed; (\d+) failed;/g)];
  if (summaries.length === 0) return null;
  return summaries.reduce(
    (sum, [, passed, failed]) => ({ passed: sum.passed + Number(passed), failed: sum.failed + Number(failed) }),
    { passed: 0, failed: 0 },
  );
}

type VitestReport = {
  numPassedTests: number;
  numFailedTests: number;
  numFailedTestSuites: number;
  testResults: { name: string; status: string }[];
};

function vitestSuite(name: string, title: string, files: readonly string[] = []): Suite {
  const report = join(repositoryRoot, ".cache", "test", `${name}.json`);
  return {
    name,
    title,
    command: [
      "vitest",
      "run",
      `--project=${name}`,
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
  alone: (files) => vitestSuite(name, title, files),
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
    command: ["node", "tests/conformance/checkMatrix.ts", ...process.argv.filter((argument) => argument === "--write")],
    count: byExitCode,
  },
  processSuite("faults", "Faults: killed servers, the whole flow"),
  processSuite("attacks", "Attacks"),
];
