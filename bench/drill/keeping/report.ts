import { cpus, loadavg } from "node:os";
import type { RequestRecord } from "../failures/createClients.ts";
import { describeFailures } from "../failures/measure.ts";

export type Row = { measured: string; value: string; goal?: string; met?: boolean };

/** Prints the rows of a drill as a table. @returns whether every goal was met */
export function printTable(title: string, rows: readonly Row[]): boolean {
  const date = new Date().toISOString().slice(0, 10);
  const machine = `${cpus().length} cores, load ${loadavg()[0]!.toFixed(1)}`;
  process.stdout.write(`\n${title} (${date}, ${machine})\n\n| measured | value | goal | met |\n|---|---|---|---|\n`);
  for (const { measured, value, goal = "", met } of rows) {
    process.stdout.write(`| ${measured} | ${value} | ${goal} | ${met === undefined ? "" : met ? "yes" : "NO"} |\n`);
  }
  return rows.every(({ met }) => met !== false);
}

/** Returns the rows of requests that failed, whose goal is 0. */
export function countFailures(records: readonly RequestRecord[]): Row[] {
  return (["read", "write"] as const).map((kind) => {
    const all = records.filter((record) => record.kind === kind);
    const failed = all.filter(({ status }) => status < 200 || status >= 300);
    const detail = failed.length === 0 ? "" : `: ${describeFailures(failed).slice(0, 300)}`;
    return {
      measured: `failed ${kind}s`,
      value: `${failed.length} of ${all.length}${detail}`,
      goal: "0",
      met: failed.length === 0 && all.length > 0,
    };
  });
}

/** Returns the row of contradictions and of lost or doubled data, whose goal is none. */
export function toTruthRow(
  truth: { trades: number; drafts: number; problems: string[] },
  contradictions: string[],
): Row {
  const problems = [...truth.problems, ...new Set(contradictions)];
  const value =
    problems.length === 0 ? `none, of ${truth.trades} trades and ${truth.drafts} drafts` : problems.join("; ");
  return { measured: "lost, doubled or contradicting data", value, goal: "none", met: problems.length === 0 };
}
