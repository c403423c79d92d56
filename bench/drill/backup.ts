import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { until } from "./failures/program.ts";
import { startDeployment } from "./failures/startDeployment.ts";
import { verifyTruth } from "./failures/verifyTruth.ts";
import { archiveTimeoutSeconds, type BackRest, createArchiveSettings, createBackRest } from "./keeping/pgBackRest.ts";
import { printTable, toTruthRow } from "./keeping/report.ts";
import { type SingleDatabase, startSingleDatabase } from "./keeping/startSingleDatabase.ts";

export const description =
  "loses the database's machine under load, and restores it with pgBackRest; measures RPO and RTO";

/** Goals: what is lost at most, and how long nothing can be written. */
const maxLossMs = archiveTimeoutSeconds * 1_000 + 10_000;
const maxOutageMs = 60_000;
/** How long the load runs before the backup and after it. */
const loadMs = 15_000;

/** `npm run drill -- backup [--keep]`. */
export async function run(options: string[], signal: AbortSignal): Promise<boolean> {
  let started: SingleDatabase | null = null;
  const deployment = await startDeployment({
    keepsLogs: options.includes("--keep"),
    createHosts: async () => [],
    startDatabase: async (dir, cleanups) => (started = await startSingleDatabase(dir, cleanups, createArchiveSettings)),
    load: 0.5,
    signal,
  });
  try {
    return await loseAndRestore(started!, deployment, signal);
  } finally {
    await deployment.stop();
  }
}

async function loseAndRestore(
  database: SingleDatabase,
  deployment: Awaited<ReturnType<typeof startDeployment>>,
  signal: AbortSignal,
): Promise<boolean> {
  const { clients, load, service } = deployment;
  const backRest = createBackRest(database.home, database.runAsOwner);
  /** The time at which each draft was acknowledged, by id. */
  const acknowledgedAtMs = new Map<string, number>();
  const watching = setInterval(() => {
    for (const id of load.drafts.values()) if (!acknowledgedAtMs.has(id)) acknowledgedAtMs.set(id, clients.now());
  }, 20);
  try {
    backRest("stanza-create");
    await sleep(loadMs, undefined, { signal });
    const backupAtMs = clients.now();
    backRest("backup", "--type=full");
    const backupMs = clients.now() - backupAtMs;
    await sleep(loadMs / 2, undefined, { signal });
    const momentMs = clients.now();
    await sleep(loadMs / 2, undefined, { signal });

    const lostAtMs = clients.now();
    await database.program.kill();
    // The machine and its disk are lost; the repository is elsewhere.
    rmSync(database.dataDir, { recursive: true });
    const acknowledged = new Map(acknowledgedAtMs);
    database.runAsOwner("mkdir", ["-m", "700", database.dataDir]);
    backRest("restore", "--type=default");
    const filesMs = clients.now() - lostAtMs;
    await database.program.start();
    await until("the restored server takes writes", () => isPrimary(database.adminUrl), { timeoutMs: 120_000, signal });
    const restored = await readDrafts(database.urlFor("owner"));
    const lost = [...acknowledged].filter(([id]) => !restored.has(id));
    const lossMs = lost.length === 0 ? 0 : lostAtMs - Math.min(...lost.map(([, atMs]) => atMs));
    await until(
      "the service takes writes",
      () => [...acknowledgedAtMs.values()].some((atMs) => atMs > lostAtMs + filesMs),
      {
        timeoutMs: 120_000,
        signal,
      },
    );
    const outageMs = Math.min(...[...acknowledgedAtMs.values()].filter((atMs) => atMs > lostAtMs + filesMs)) - lostAtMs;
    await service.untilReady(signal);
    const atMoment = await restoreToMoment(database, backRest, momentMs);
    const missing = [...acknowledged].filter(([id, atMs]) => atMs < momentMs && !atMoment.ids.has(id)).length;
    await sleep(loadMs / 2, undefined, { signal });

    await deployment.trader.stop();
    await load.stopRequests();
    const expected = new Map([...load.drafts].filter(([, id]) => !lost.some(([lostId]) => lostId === id)));
    // The streams of the lost moment start again with a snapshot, so only the lists are compared.
    const truth = await verifyTruth({ ...deployment, load: { ...load, streams: [], drafts: expected }, signal });
    const toSeconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
    return printTable(`Loss of the database and restore with pgBackRest, archive_timeout ${archiveTimeoutSeconds} s`, [
      {
        measured: "RPO: age of the oldest lost draft",
        value: `${toSeconds(lossMs)} (${lost.length} of ${acknowledged.size} drafts lost)`,
        goal: `at most ${toSeconds(maxLossMs)}`,
        met: lossMs <= maxLossMs,
      },
      {
        measured: "RTO: until a write is acknowledged",
        value: toSeconds(outageMs),
        goal: `at most ${toSeconds(maxOutageMs)}`,
        met: outageMs <= maxOutageMs,
      },
      {
        measured: "restore to a moment: drafts acknowledged before it and missing, created after it and there",
        value: `${missing}, ${atMoment.later}, of ${atMoment.ids.size}`,
        goal: "0, 0",
        met: missing === 0 && atMoment.later === 0 && atMoment.ids.size < acknowledged.size,
      },
      toTruthRow(truth, []),
      {
        measured: "base backup under load; restore of its files",
        value: `${toSeconds(backupMs)}; ${toSeconds(filesMs)}`,
      },
    ]);
  } finally {
    clearInterval(watching);
  }
}

/** Restores a copy to a moment. @returns the ids of its drafts, and the number of drafts created after the moment */
async function restoreToMoment(
  database: SingleDatabase,
  backRest: BackRest,
  momentMs: number,
): Promise<{ ids: Set<string>; later: number }> {
  const folder = join(database.home, "moment");
  database.runAsOwner("mkdir", ["-m", "700", folder]);
  const target = `--target=${new Date(momentMs).toISOString().replace("T", " ").replace("Z", "+00")}`;
  backRest("restore", `--pg1-path=${folder}`, "--type=time", "--target-action=promote", target);
  const url = await database.startCopy(folder);
  await until("the copy has reached the moment", () => isPrimary(url));
  const drafts = await readDrafts(url);
  const later = [...drafts.values()].filter((createdAt) => createdAt.getTime() > momentMs).length;
  return { ids: new Set(drafts.keys()), later };
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const isPrimary = async (url: string) =>
  await withClient(url, async (client) => {
    const { rows } = await client.query<{ replays: boolean }>("select pg_is_in_recovery() as replays");
    return !rows[0]!.replays;
  });

const readDrafts = async (url: string) =>
  await withClient(url, async (client) => {
    const { rows } = await client.query<{ id: string; created_at: Date }>("select id, created_at from app.intents");
    return new Map(rows.map(({ id, created_at }) => [id, created_at]));
  });
