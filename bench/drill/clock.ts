import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { getLongestGap } from "./failures/measure.ts";
import { startDeployment } from "./failures/startDeployment.ts";
import type { ServiceProcess } from "./failures/startService.ts";
import { verifyTruth } from "./failures/verifyTruth.ts";
import { createClockEnvironment, toClockFile } from "./keeping/fakeClock.ts";
import { countFailures, printTable, type Row, toTruthRow } from "./keeping/report.ts";
import { startSingleDatabase } from "./keeping/startSingleDatabase.ts";

export const description =
  "steps the clock of an API, of each indexer and of the worker by five minutes under load (libfaketime)";

const stepSeconds = 300;
/** How long a process runs with a clock, before it steps again. */
const settleMs = 6_000;
/** The maximum time without a message of a stream that follows about two trades a second. */
const maxStreamGapMs = 5_000;

/** `npm run drill -- clock [--keep]`. */
export async function run(options: string[], signal: AbortSignal): Promise<boolean> {
  const deployment = await startDeployment({
    keepsLogs: options.includes("--keep"),
    createHosts: async () => [],
    startDatabase: startSingleDatabase,
    service: { createEnvironment: createClockEnvironment },
    load: 1,
    signal,
  });
  try {
    const { service, clients, load } = deployment;
    await sleep(settleMs, undefined, { signal });
    const startedAtMs = clients.now();
    const steps: string[] = [];
    const step = async ({ program, siteUrl }: ServiceProcess, seconds: number) => {
      writeFileSync(toClockFile(program.logPath), `${seconds < 0 ? "-" : "+"}${Math.abs(seconds)}`);
      await sleep(settleMs, undefined, { signal });
      const shownSeconds = await readClockOffset(siteUrl);
      if (Math.abs(shownSeconds - seconds) > 5) {
        throw new Error(`the clock of ${program.name} differs by ${shownSeconds} s, not ${seconds} s`);
      }
      steps.push(`${program.name} ${seconds} s`);
    };
    // Forward, then back to before the start, then right.
    for (const one of [service.apis[0]!, ...service.indexers, service.worker]) {
      for (const seconds of [stepSeconds, -stepSeconds, 0]) await step(one, seconds);
    }
    const endedAtMs = clients.now();
    await deployment.trader.stop();
    await load.stopRequests();
    const truth = await verifyTruth({ ...deployment, signal });
    const gapMs = Math.max(
      ...load.streams.map(({ receivedAtMs }) => getLongestGap(receivedAtMs, startedAtMs, endedAtMs)),
    );
    const rows: Row[] = [
      { measured: "steps", value: steps.join(", ") },
      ...countFailures(clients.records.filter(({ startedAtMs: at }) => at >= startedAtMs)),
      {
        measured: "longest gap of a stream",
        value: `${(gapMs / 1_000).toFixed(1)} s`,
        goal: `at most ${maxStreamGapMs / 1_000} s`,
        met: gapMs <= maxStreamGapMs,
      },
      toTruthRow(
        truth,
        load.contradictions.map(({ text }) => text),
      ),
    ];
    return printTable(`Steps of the clock of single processes by ${stepSeconds} s`, rows);
  } finally {
    await deployment.stop();
  }
}

/** Returns the difference between the clock of a process and that of this machine, in seconds, by an HTTP header. */
async function readClockOffset(siteUrl: string): Promise<number> {
  const { headers } = await fetch(`${siteUrl}/healthz`);
  return Math.round((Date.parse(headers.get("date")!) - Date.now()) / 1_000);
}
