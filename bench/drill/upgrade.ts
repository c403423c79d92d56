import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { serverProgram } from "@slipway/dev/service/startServer";
import { createDrillFolder } from "./failures/program.ts";
import { startDeployment } from "./failures/startDeployment.ts";
import { untilOk, type VersionedProcess } from "./failures/startService.ts";
import { verifyTruth } from "./failures/verifyTruth.ts";
import { checkOutEarlier } from "./keeping/checkOutEarlier.ts";
import { countFailures, printTable, toTruthRow } from "./keeping/report.ts";
import { startSingleDatabase } from "./keeping/startSingleDatabase.ts";

export const description = "upgrades from the last version with fewer migrations under load, and goes back";

const drainSeconds = 4;
const settleMs = 3_000;

/** `npm run drill -- upgrade [--keep]`. The owner of the database may not create roles. */
export async function run(options: string[], signal: AbortSignal): Promise<boolean> {
  const folder = createDrillFolder();
  const earlier = checkOutEarlier(folder.path);
  try {
    return await upgrade(earlier, options.includes("--keep"), signal);
  } finally {
    earlier.remove();
    folder.remove();
  }
}

async function upgrade(
  earlier: ReturnType<typeof checkOutEarlier>,
  keepsLogs: boolean,
  signal: AbortSignal,
): Promise<boolean> {
  process.stderr.write(
    `from ${earlier.commit} (${earlier.migrations} migrations) to ${earlier.ownMigrations} migrations\n`,
  );
  const deployment = await startDeployment({
    keepsLogs,
    createHosts: async () => [],
    startDatabase: startSingleDatabase,
    service: { server: earlier.server, settings: { DRAIN_SECONDS: String(drainSeconds) } },
    load: 1,
    signal,
  });
  try {
    const { service, clients, load } = deployment;
    await sleep(settleMs, undefined, { signal });
    const startedAtMs = clients.now();

    // The order of docs/scaling.md: a new worker migrates, then the indexers, the APIs, the other worker.
    const migrating = await service.createProcess("worker2", "worker");
    migrating.useServer(serverProgram);
    await migrating.program.start();
    await untilOk(migrating.siteUrl, "/healthz", signal);
    const migratedMs = clients.now() - startedAtMs;
    await sleep(settleMs, undefined, { signal });
    const restart = async ({ program, siteUrl, useServer }: VersionedProcess, server: string, path: string) => {
      await program.stop();
      useServer(server);
      await program.start();
      await untilOk(siteUrl, path, signal);
      await sleep(settleMs, undefined, { signal });
    };
    // The second waits for the first, which leads.
    for (const indexer of service.indexers.toReversed()) await restart(indexer, serverProgram, "/healthz");
    for (const api of service.apis) await restart(api, serverProgram, "/readyz");
    await service.worker.program.stop();

    // Back: one API of the old version runs on the new schema.
    await restart(service.apis[1]!, earlier.server, "/readyz");
    const log = readFileSync(service.apis[1]!.program.logPath, "utf8");
    const warnings = log.split("database migrated by a newer version").length - 1;

    const records = clients.records.filter(({ startedAtMs: at }) => at >= startedAtMs);
    await deployment.trader.stop();
    await load.stopRequests();
    const truth = await verifyTruth({ ...deployment, signal });
    const title = `Upgrade from ${earlier.commit} to this version, ${earlier.ownMigrations - earlier.migrations} new migrations`;
    return printTable(title, [
      ...countFailures(records),
      toTruthRow(
        truth,
        load.contradictions.map(({ text }) => text),
      ),
      { measured: "start of the process that migrates", value: `${(migratedMs / 1_000).toFixed(1)} s` },
      {
        measured: "an old API on the new schema",
        value: `ready, ${warnings} warnings`,
        goal: "ready, 1 warning",
        met: warnings === 1,
      },
    ]);
  } finally {
    await deployment.stop();
  }
}
