import type { SuiteResult } from "./runSuite.ts";

const duration = (seconds: number) =>
  seconds < 60 ? `${seconds.toFixed(1)} s` : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;

/** The table at the end: a line for each suite, then the totals. */
export function summaryTable(results: readonly SuiteResult[]): string {
  const rows = results.map(({ name, passed, failed, seconds, problem, unsteady }) => [
    problem === null ? (unsteady ? "UNSTEADY" : "ok") : "FAILED",
    name,
    String(passed),
    String(failed),
    duration(seconds),
    problem ?? (unsteady ? `passed alone only: ${unsteady.join(" ")}` : ""),
  ]);
  const all = [["", "suite", "passed", "failed", "time", ""], ...rows];
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  const line = (row: string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join("  ")
      .trimEnd();
  const seconds = results.reduce((sum, result) => sum + result.seconds, 0);
  return `${all.map(line).join("\n")}\n\nIn ${duration(seconds)}.`;
}

/** The closing line, over all suites. */
export function closingLine(results: readonly SuiteResult[]): string {
  const sum = (of: "passed" | "failed") => results.reduce((total, result) => total + result[of], 0);
  return `${sum("passed")} passed, ${sum("failed")} failed`;
}
