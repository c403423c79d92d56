import { setTimeout as sleep } from "node:timers/promises";
import { startDeployment } from "./failures/startDeployment.ts";
import { untilOk } from "./failures/startService.ts";
import { verifyTruth } from "./failures/verifyTruth.ts";
import { countFailures, printTable, toTruthRow } from "./keeping/report.ts";
import { startSingleDatabase } from "./keeping/startSingleDatabase.ts";

export const description = "restarts each process of a deployment in turn under load; no request may fail";

/** `DRAIN_SECONDS` of the APIs: longer than HAProxy needs to see that a process is not ready. */
const drainSeconds = 4;
const settleMs = 3_000;

/** `npm run drill -- rolling [--keep]`. */
export async function run(options: string[], signal: AbortSignal): Promise<boolean> {
  const deployment = await startDeployment({
    keepsLogs: options.includes("--keep"),
    createHosts: async () => [],
    startDatabase: startSingleDatabase,
    service: { settings: { DRAIN_SECONDS: String(drainSeconds) } },
    load: 1,
    signal,
  });
  try {
    const { service, clients, load } = deployment;
    await sleep(settleMs, undefined, { signal });
    const startedAtMs = clients.now();
    const exits: string[] = [];
    for (const { program, siteUrl } of [...service.apis, ...service.indexers, service.worker]) {
      const path = service.apis.some((api) => api.program === program) ? "/readyz" : "/healthz";
      const stoppedAtMs = clients.now();
      await program.stop();
      exits.push(`${program.name} ${((clients.now() - stoppedAtMs) / 1_000).toFixed(1)} s`);
      await program.start();
      await untilOk(siteUrl, path, signal);
      await sleep(settleMs, undefined, { signal });
    }
    const records = clients.records.filter(({ startedAtMs: at }) => at >= startedAtMs);
    await deployment.trader.stop();
    await load.stopRequests();
    const truth = await verifyTruth({ ...deployment, signal });
    return printTable("Rolling restart of 2 APIs, 2 indexers and a worker behind HAProxy", [
      ...countFailures(records),
      toTruthRow(
        truth,
        load.contradictions.map(({ text }) => text),
      ),
      { measured: "time to stop in order", value: exits.join(", ") },
    ]);
  } finally {
    await deployment.stop();
  }
}
