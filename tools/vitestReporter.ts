import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { SerializedError } from "vitest";
import type { Reporter, TestModule } from "vitest/node";

/** The report of a Vitest run, in the file TEST_REPORT. */
export type VitestReport = {
  projects: Record<string, { passed: number; failed: number; seconds: number }>;
  tests: { name: string; passed: boolean }[];
  files: { project: string; file: string; seconds: number; tests: { name: string; seconds: number }[] }[];
  /** Failed tests, and files that could not be loaded or prepared. */
  failed: Failure[];
  /** Tests that passed only at the second attempt, with the errors of the first. */
  flaky: Failure[];
};

/** A test, with a short description of its errors. */
export type Failure = { name: string; errors: string[] };

/** Describes an error by its message, difference and place in a test file. */
function describeError({ message, diff, stack }: SerializedError & { diff?: string }): string {
  const place = stack?.split("\n").find((line) => line.includes("/tests/") || line.includes(".test.ts"));
  return [message, diff, place?.trim()].filter((part) => part !== undefined).join("\n");
}

/** Counts tests by project and lists them by name, for `npm test`. */
export default class CountingReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const report: VitestReport = { projects: {}, tests: [], failed: [], flaky: [], files: [] };
    for (const module of modules) {
      report.projects[module.project.name] ??= { passed: 0, failed: 0, seconds: 0 };
      const project = report.projects[module.project.name]!;
      let failed = 0;
      report.files.push({
        project: module.project.name,
        file: module.relativeModuleId,
        seconds: module.diagnostic().duration / 1_000,
        tests: [...module.children.allTests()].map((test) => ({
          name: test.fullName,
          seconds: (test.diagnostic()?.duration ?? 0) / 1_000,
        })),
      });
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result();
        if (state !== "passed" && state !== "failed") continue;
        const name = `${module.relativeModuleId}: ${test.fullName}`;
        if (state === "passed") project.passed++;
        else failed++;
        report.tests.push({ name, passed: state === "passed" });
        const failure = { name, errors: (errors ?? []).map(describeError) };
        if (state === "failed") report.failed.push(failure);
        if (test.diagnostic()?.flaky) report.flaky.push(failure);
      }
      const ownErrors = module.errors().map(describeError);
      if (ownErrors.length > 0) report.failed.push({ name: module.relativeModuleId, errors: ownErrors });
      // A file that could not be loaded or prepared has no failed test, but is a failure.
      project.failed += module.state() === "failed" ? Math.max(1, failed) : failed;
      project.seconds += module.diagnostic().duration / 1_000;
    }
    if (errors.length > 0) report.failed.push({ name: "outside of the tests", errors: errors.map(describeError) });
    mkdirSync(dirname(process.env.TEST_REPORT!), { recursive: true });
    writeFileSync(process.env.TEST_REPORT!, JSON.stringify(report));
  }
}
