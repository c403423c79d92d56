import { runSteadily, runSuite, type SuiteResult } from "./runSuite.ts";
import type { Suite } from "./suite.ts";
import { closingLine, summaryTable } from "./summary.ts";

/**
 * Runs suites one after the other, all of them also when one fails, and prints the summary.
 *
 * @param strict - What fails is not run again; see `runSteadily`.
 * @returns the exit code: 0 only when every suite ran tests and none failed
 */
export async function runAll(suites: readonly Suite[], options: { strict?: boolean } = {}): Promise<number> {
  const results = await runEach(suites, options);
  return results.every(({ problem }) => problem === null) ? 0 : 1;
}

/** As `runAll`, for whoever wants to know more of the results. */
export async function runEach(suites: readonly Suite[], { strict = false } = {}): Promise<SuiteResult[]> {
  const results: SuiteResult[] = [];
  for (const [index, suite] of suites.entries()) {
    process.stdout.write(`\n=== ${index + 1}/${suites.length} ${suite.title} [${suite.name}]\n`);
    const result = await (strict ? runSuite(suite) : runSteadily(suite));
    process.stdout.write(`--- ${suite.name}: ${result.problem ?? "ok"}, ${result.seconds.toFixed(1)} s\n`);
    results.push(result);
  }
  process.stdout.write(`\n${summaryTable(results)}\n\n${closingLine(results)}\n`);
  return results;
}
