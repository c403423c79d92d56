import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startDeployment } from "./failures/startDeployment.ts";
import { verifyTruth } from "./failures/verifyTruth.ts";
import { printTable, toTruthRow } from "./keeping/report.ts";
import { type SingleDatabase, startSingleDatabase } from "./keeping/startSingleDatabase.ts";

export const description =
  "fills the database's disk under load, and frees it; nothing acknowledged may be lost. Needs root";

const diskMegabytes = 400;
const fullMs = 20_000;

/** `npm run drill -- disk [--keep]`. */
export async function run(options: string[], signal: AbortSignal): Promise<boolean> {
  let started: { database: SingleDatabase; mount: string } | null = null;
  const deployment = await startDeployment({
    keepsLogs: options.includes("--keep"),
    createHosts: async () => [],
    startDatabase: async (dir, cleanups) => {
      const mount = join(dir, "disk");
      mkdirSync(mount);
      execFileSync("mount", ["-t", "tmpfs", "-o", `size=${diskMegabytes}m,mode=755`, "tmpfs", mount]);
      cleanups.push(async () => execFileSync("umount", ["--lazy", mount]));
      const database = await startSingleDatabase(mount, cleanups);
      started = { database, mount };
      return database;
    },
    load: 0.5,
    signal,
  });
  try {
    return await fillAndFree(started!, deployment, signal);
  } finally {
    await deployment.stop();
  }
}

/** Writes a file until nothing is free. */
function fill(path: string): void {
  const { bavail, bsize } = statfsSync(join(path, ".."));
  writeFileSync(path, Buffer.alloc(bavail * bsize));
}

async function fillAndFree(
  { database, mount }: { database: SingleDatabase; mount: string },
  deployment: Awaited<ReturnType<typeof startDeployment>>,
  signal: AbortSignal,
): Promise<boolean> {
  const { clients, load, service } = deployment;
  await sleep(5_000, undefined, { signal });
  const fullAtMs = clients.now();
  // Files of PostgreSQL that were freed meanwhile are filled again.
  const filler = setInterval(() => {
    try {
      fill(join(mount, `filler-${Date.now()}`));
    } catch {
      // The disk is full.
    }
  }, 500);
  await sleep(fullMs, undefined, { signal });
  clearInterval(filler);
  const fullRecords = clients.records.filter(({ startedAtMs: at }) => at > fullAtMs + 2_000);
  const hasEnded = database.program.pid() === null;
  const freedAtMs = clients.now();
  execFileSync("find", [mount, "-maxdepth", "1", "-name", "filler-*", "-delete"]);
  // Restarts the process, as a supervisor does.
  if (hasEnded) {
    rmSync(join(database.dataDir, "postmaster.pid"), { force: true });
    await database.program.start();
  }
  await service.untilReady(signal);
  const readyMs = clients.now() - freedAtMs;
  await sleep(5_000, undefined, { signal });
  const wrote = clients.records.some(
    ({ kind, status, startedAtMs: at }) => kind === "write" && status === 201 && at > freedAtMs,
  );
  await deployment.trader.stop();
  await load.stopRequests();
  const truth = await verifyTruth({ ...deployment, signal });
  const count = (kind: "read" | "write") => {
    const all = fullRecords.filter((record) => record.kind === kind);
    const statuses = new Set(all.map(({ status }) => status));
    return `${all.length}, statuses ${[...statuses].sort((a, b) => a - b).join(", ")}`;
  };
  const isOnlyKnown = fullRecords.every(({ status }) => [0, 200, 201, 503].includes(status));
  return printTable("A full disk of the database", [
    { measured: "reads while the disk was full", value: count("read") },
    { measured: "writes while the disk was full", value: count("write"), goal: "201 or 503", met: isOnlyKnown },
    { measured: "PostgreSQL while the disk was full", value: hasEnded ? "ended" : "ran" },
    {
      measured: "ready after space was freed",
      value: `${(readyMs / 1_000).toFixed(1)} s`,
      goal: "60 s",
      met: readyMs < 60_000,
    },
    { measured: "writes afterwards", value: wrote ? "acknowledged" : "none", goal: "acknowledged", met: wrote },
    toTruthRow(
      truth,
      load.contradictions.map(({ text }) => text),
    ),
  ]);
}
