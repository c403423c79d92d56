import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readThreats, toThreatTable } from "./checkThreats.ts";
import type { Failure, VitestReport } from "./vitestReporter.ts";

/** The result of a run of `npm test`, or of a part of a run on one machine. */
export type Summary = {
  /** Checks and projects. The seconds of a project are the sum of its files, on all workers. */
  results: { name: string; passed: number; failed: number; seconds: number }[];
  tests: VitestReport["tests"];
  failed: Failure[];
  flaky: Failure[];
  files: VitestReport["files"];
  /** The duration of the whole run. */
  seconds?: number;
};

const listedFiles = 30;
const linesPerError = 12;
const lineLength = 200;

/** Adds up the summaries of a folder; `npm test` writes a summary to the folder TEST_SUMMARY. */
export function mergeSummaries(folder: string): Summary {
  const merged: Summary = { results: [], tests: [], failed: [], flaky: [], files: [] };
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json"));
  if (files.length === 0) throw new Error(`${folder} has no summaries.`);
  for (const file of files.sort()) {
    const part = JSON.parse(readFileSync(join(folder, file), "utf8")) as Summary;
    for (const result of part.results) {
      const same = merged.results.find(({ name }) => name === result.name);
      if (same === undefined) {
        merged.results.push(result);
        continue;
      }
      same.passed += result.passed;
      same.failed += result.failed;
      same.seconds += result.seconds;
    }
    merged.tests.push(...part.tests);
    merged.failed.push(...part.failed);
    merged.flaky.push(...part.flaky);
    merged.files.push(...part.files);
    merged.seconds = Math.max(merged.seconds ?? 0, part.seconds ?? 0);
  }
  return merged;
}

/**
 * Prints the tables and the line of totals.
 *
 * @param isWhole - Whether every attack id must have a test in this run.
 * @returns the exit code
 */
export function printSummary(summary: Summary, isWhole: boolean): number {
  const write = (text: string) => process.stdout.write(`${text}\n`);
  const results = [...summary.results];
  if (isWhole) {
    const { table, problems } = toThreatTable(readThreats(), summary.tests);
    write(`\n${table}`);
    for (const problem of problems) write(`FAILED ${problem}`);
    if (problems.length > 0) results.push({ name: "ids", passed: 0, failed: problems.length, seconds: 0 });
  }
  if (summary.files.length > listedFiles) {
    write(`\nThe ${listedFiles} slowest test files, in seconds:`);
    const slowest = summary.files.toSorted((a, b) => b.seconds - a.seconds).slice(0, listedFiles);
    for (const { file, seconds } of slowest) write(`${seconds.toFixed(0).padStart(6)} ${file}`);
  }
  write("");
  for (const { name, passed, failed, seconds } of results) {
    const counts = `${String(passed).padStart(6)} passed ${String(failed).padStart(4)} failed`;
    write(`${failed > 0 ? "FAILED" : "ok    "} ${name.padEnd(12)} ${counts} ${seconds.toFixed(0).padStart(6)} s`);
  }
  // Last, because a log is often shortened to its end.
  for (const failure of summary.failed) write(describeFailure("failed", failure));
  for (const failure of summary.flaky) write(describeFailure("flaky, passed at the second attempt", failure));
  const isStrict = process.env.CI_STRICT === "1";
  if (isStrict && summary.flaky.length > 0) {
    results.push({ name: "flaky", passed: 0, failed: summary.flaky.length, seconds: 0 });
    write("FAILED A test that passes only at its second attempt is a failure with CI_STRICT=1.");
  }
  const seconds = summary.seconds ?? 0;
  const sum = (field: "passed" | "failed") => results.reduce((total, result) => total + result[field], 0);
  write(`\nIn ${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s.\n`);
  write(`${sum("passed")} passed, ${sum("failed")} failed`);
  return sum("failed") === 0 && sum("passed") > 0 ? 0 : 1;
}

/** The name of a test and the first lines of its errors. */
function describeFailure(outcome: string, { name, errors }: Failure): string {
  const lines = errors.flatMap((error) => error.split("\n").slice(0, linesPerError));
  return [`${outcome}: ${name}`, ...lines.map((line) => `    ${line.slice(0, lineLength)}`)].join("\n");
}
