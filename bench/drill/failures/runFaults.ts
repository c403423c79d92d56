import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import type { Fault } from "./faults.ts";
import type { Host } from "./hosts.ts";
import { describeFailures, measureFault, type Outcome, toSeconds } from "./measure.ts";
import type { Cleanups } from "./program.ts";
import { type Deployment, startDeployment } from "./startDeployment.ts";
import { verifyTruth } from "./verifyTruth.ts";

/**
 * Runs faults under load, one after the other, and prints a table and the missed goals.
 *
 * @param options.options - `--faults NAME,NAME` runs only these; `--keep` keeps the folder with all logs.
 * @returns whether every goal was met.
 */
export async function runFaults(drill: {
  options: string[];
  signal: AbortSignal;
  createHosts: (cleanups: Cleanups) => Promise<Host[]>;
  createFaults: (deployment: Deployment) => Fault[];
}): Promise<boolean> {
  const { signal } = drill;
  const { values } = parseArgs({
    args: drill.options,
    options: { faults: { type: "string" }, keep: { type: "boolean", default: false } },
  });
  const { createHosts } = drill;
  const deployment = await startDeployment({ createHosts, keepsLogs: values.keep, load: 1, signal });
  try {
    const all = drill.createFaults(deployment);
    const names = values.faults?.split(",");
    const unknown = names?.filter((name) => !all.some((fault) => fault.name === name)) ?? [];
    if (unknown.length > 0)
      throw new Error(`unknown: ${unknown.join(", ")}; use ${all.map(({ name }) => name).join(",")}`);
    const outcomes: Outcome[] = [];
    for (const fault of all.filter(({ name }) => names?.includes(name) ?? true)) {
      process.stderr.write(`ends ${fault.description}\n`);
      const outcome = await measureFault(fault, { ...deployment, signal });
      process.stderr.write(`${toRow(outcome)}\n`);
      for (const failed of [outcome.failedReads, outcome.failedWrites]) {
        if (failed.length > 0) process.stderr.write(`  ${describeFailures(failed)}\n`);
      }
      outcomes.push(outcome);
    }
    await deployment.load.stopRequests();
    await deployment.trader.stop();
    const truth = await verifyTruth({ ...deployment, signal });
    printTable(outcomes);
    const missed = [
      ...outcomes.flatMap(({ fault, missed: texts }) => texts.map((text) => `${fault}: ${text}`)),
      ...truth.problems,
    ];
    const requests = deployment.clients.records;
    const count = (kind: string) => requests.filter((record) => record.kind === kind).length;
    process.stdout.write(
      `\n${count("read")} reads, ${count("write")} writes, ${truth.drafts} acknowledged drafts and ${truth.trades} trades on ` +
        `${deployment.load.streams.length} streams; ${cpus().length} cores, load ${loadavg()[0]!.toFixed(1)}, ` +
        `Node ${process.version}, ${new Date().toISOString().slice(0, 10)}\n`,
    );
    for (const text of missed) process.stdout.write(`MISSED ${text}\n`);
    if (missed.length === 0) process.stdout.write("every goal was met\n");
    return missed.length === 0;
  } finally {
    await deployment.stop();
  }
}

const toRow = (outcome: Outcome) =>
  `| ${[
    outcome.fault,
    `${outcome.failedReads.length} of ${outcome.reads}`,
    outcome.failedInFlight,
    outcome.failedWrites.length,
    toSeconds(outcome.longestWriteGapMs),
    toSeconds(outcome.longestStreamGapMs),
    toSeconds(outcome.newLeaderMs),
    toSeconds(outcome.newPrimaryMs),
    outcome.contradictions.length,
  ].join(" | ")} |`;

function printTable(outcomes: readonly Outcome[]): void {
  const titles = [
    "kill -9 of",
    "failed reads",
    "reads in progress",
    "failed writes",
    "no write for",
    "longest gap of a stream",
    "new leader",
    "new primary",
    "stale",
  ];
  process.stdout.write(`| ${titles.join(" | ")} |\n|${"---|".repeat(titles.length)}\n`);
  for (const outcome of outcomes) process.stdout.write(`${toRow(outcome)}\n`);
}
