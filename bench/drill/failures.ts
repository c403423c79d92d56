import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { createFaults } from "./failures/faults.ts";
import { describeFailures, measureFault, type Outcome, toSeconds } from "./failures/measure.ts";
import { startDeployment } from "./failures/startDeployment.ts";
import { verifyTruth } from "./failures/verifyTruth.ts";

export const description = "kills each part of a deployment in turn under load, with Patroni, etcd and HAProxy";

/** `npm run drill -- failures [--faults api,leader] [--keep]`. `--keep` keeps the folder with all logs. */
export async function run(options: string[], signal: AbortSignal): Promise<boolean> {
  const { values } = parseArgs({
    args: options,
    options: { faults: { type: "string" }, keep: { type: "boolean", default: false } },
  });
  const deployment = await startDeployment({ keepsLogs: values.keep, signal });
  try {
    const all = createFaults(deployment.database, deployment.service);
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
