import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawnChild, spawnListener } from "@slipway/dev/process/spawnChild";
import { parseConfig } from "@slipway/server/config";
import { type Database, openDatabase } from "@slipway/server/db/database";
import { listenToChannel } from "@slipway/server/db/listenToChannel";
import { prepareDatabase } from "@slipway/server/db/migrate";
import { systemClock } from "@slipway/server/systemClock";
import pg from "pg";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { createTestFolder } from "../support/createTestFolder.ts";
import { openTestDatabase } from "../support/database/openTestDatabase.ts";
import { requireProgram } from "../support/findProgram.ts";

/** Starts pgbouncer with the shipped configuration before the database of a URL. @returns the URL through pgbouncer. */
async function startPgbouncer(databaseUrl: string): Promise<string> {
  const dir = createTestFolder();
  const { username, password, port, pathname } = new URL(databaseUrl);
  // pgbouncer refuses to run as root.
  const user = process.getuid?.() === 0 ? ["--user", "nobody"] : [];
  const shipped = readFileSync(new URL("../../deploy/pgbouncer.ini", import.meta.url), "utf8");
  const users = join(dir, "userlist.txt");
  writeFileSync(users, `"${username}" "${password}"\n`, { mode: 0o644 });
  const through = (listenPort: number) => `postgres://${username}:${password}@127.0.0.1:${listenPort}${pathname}`;
  const started = await spawnListener({
    title: "pgbouncer",
    logPath: join(dir, "pgbouncer.log"),
    spawn: (listenPort) => {
      const path = join(dir, "pgbouncer.ini");
      const database = pathname.slice(1);
      const configuration = shipped
        .replace(/^slipway = .*$/m, `${database} = host=127.0.0.1 port=${port} dbname=${database}`)
        .replace("listen_port = 6432", `listen_port = ${listenPort}`)
        .replace("/etc/pgbouncer/userlist.txt", users);
      writeFileSync(path, configuration, { mode: 0o644 });
      return spawnChild({
        dir,
        name: "pgbouncer",
        command: requireProgram("pgbouncer"),
        args: [...user, path],
        endSignal: "SIGINT",
        endOrder: 1,
        logPath: join(dir, "pgbouncer.log"),
      });
    },
    isReady: async (listenPort) => {
      const client = new pg.Client({ connectionString: through(listenPort) });
      client.on("error", () => undefined);
      return await client.connect().then(
        () => client.end().then(() => true),
        () => false,
      );
    },
  });
  onTestFinished(() => started.child.stop());
  return through(started.port);
}

const log = pino({ level: "silent" });

async function show({ query }: { query: Database["read"]["query"] }, setting: string): Promise<string> {
  const { rows } = await query<Record<string, string>>(`show ${setting}`);
  return rows[0]![setting]!;
}

test("C3-75 the service migrates and runs through pgbouncer in session mode, with the settings of its sessions", async () => {
  const database = await openTestDatabase();
  onTestFinished(() => database.drop());
  const config = parseConfig({ DATABASE_URL: await startPgbouncer(database.url), RPC_URL: "http://127.0.0.1:9" });
  await prepareDatabase(config, log);
  const db = openDatabase(config, log);
  onTestFinished(() => db.close());
  for (const [pool, settings] of [
    [db.api, { statement_timeout: "5s" }],
    [db.read, { statement_timeout: "5s", effective_io_concurrency: "100" }],
    [db.indexer, { statement_timeout: "2min" }],
    [
      db.pipelined,
      { statement_timeout: "2min", enable_seqscan: "off", enable_hashjoin: "off", enable_mergejoin: "off" },
    ],
  ] as const) {
    for (const [name, value] of Object.entries(settings)) {
      expect(await show({ query: pool.query.bind(pool) as Database["read"]["query"] }, name)).toBe(value);
    }
  }
  const payloads: (string | null)[] = [];
  const listener = listenToChannel({
    pool: db.listening,
    clock: systemClock,
    log,
    channel: "through_pgbouncer",
    wake: (payload) => payloads.push(payload),
  });
  onTestFinished(() => listener.stop());
  await expect.poll(() => payloads).toEqual([null]);
  await db.api.query("select pg_notify('through_pgbouncer', 'x')");
  await expect.poll(() => payloads).toEqual([null, "x"]);
});
