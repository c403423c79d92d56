import { execFileSync } from "node:child_process";
import { appendFileSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { resolvePostgresProgram } from "@slipway/dev/postgres/postgresProgram";
import { type Postgres, startPostgres } from "@slipway/dev/postgres/startPostgres";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import { parseConfig } from "@slipway/server/config";
import { prepareDatabase } from "@slipway/server/db/migrate";
import pg from "pg";
import { pino } from "pino";
import { vi } from "vitest";

type Replica = "replica" | "second";
type Name = "primary" | Replica;

/** A PostgreSQL server with the migrated schema, and its streaming replicas. */
export type ReplicatedPostgres = {
  /** The URLs of the owner. `second` only with two replicas. */
  urls: Record<Name, string>;
  /** Ends a server without a shutdown, like a failure of its machine. */
  kill(name: Name): Promise<void>;
  /** Stops every process of a server, whose connections then stay open without an answer. */
  freeze(name: Name): void;
  thaw(name: Name): void;
  /** Starts a server again, with its data and at its port. */
  restart(name: Name): Promise<void>;
  /** Starts a server again as a replica that receives no changes, such as a former primary. */
  restartAsReplica(name: Name): Promise<void>;
  /** Ends the replication: the replica receives no later change. */
  disconnect(name?: Replica): Promise<void>;
  /** Makes the first replica a primary. */
  promote(): Promise<void>;
  /** Makes the second replica a replica of the first one. */
  followPromoted(): Promise<void>;
  /** Stops the replay of a replica, which continues to answer with older and older data. */
  pauseReplay(name?: Replica): Promise<void>;
  resumeReplay(name?: Replica): Promise<void>;
  stop(): Promise<void>;
};

/** Starts all servers. A replica starts as a copy of the stopped primary, and then streams its WAL. */
export async function startReplicatedPostgres({
  replicas = 1,
}: {
  replicas?: 1 | 2;
} = {}): Promise<ReplicatedPostgres> {
  const folder = temporaryFolder();
  const toDir = (name: Name) => join(folder.path, name);
  const dirs = { primary: toDir("primary"), replica: toDir("replica"), second: toDir("second") };
  const names = (["replica", "second"] as const).slice(0, replicas);
  const start = (name: Name, port?: number) =>
    startPostgres({ dir: dirs[name], durable: false, ...(port !== undefined && { port }) });

  const original = await start("primary");
  await prepareDatabase(
    parseConfig({ DATABASE_URL: original.url, RPC_URL: "http://127.0.0.1:9" }),
    pino({ level: "silent" }),
  );
  // As in production. Temporary servers turn it off.
  await runAt(original.url, `alter role ${new URL(original.url).username} set synchronous_commit = on`);
  await original.stop();
  for (const name of names) copyToReplica(dirs.primary, dirs[name], new URL(original.url));
  const servers = { primary: await start("primary", original.port) } as Record<Name, Postgres>;
  for (const name of names) servers[name] = await start(name);
  const urls = Object.fromEntries(Object.entries(servers).map(([name, { url }]) => [name, url])) as typeof dirs;

  return {
    urls,
    kill: async (name) => {
      process.kill(servers[name].child.pid, "SIGKILL");
      await servers[name].child.exited;
    },
    freeze: (name) => signalAll(servers[name].child.pid, "SIGSTOP"),
    thaw: (name) => signalAll(servers[name].child.pid, "SIGCONT"),
    restart: async (name) => {
      servers[name] = await start(name, servers[name].port);
    },
    restartAsReplica: async (name) => {
      writeStandbySignal(dirs[name]);
      servers[name] = await start(name, servers[name].port);
    },
    disconnect: async (name = "replica") => {
      await setSource(urls[name], "");
      const walReceivers = "select 1 / (select (count(*) = 0)::int from pg_stat_wal_receiver)";
      await vi.waitFor(() => runAt(urls[name], walReceivers), { timeout: 120_000 });
    },
    promote: async () => await runAt(urls.replica, "select pg_promote()"),
    followPromoted: async () => await setSource(urls.second, toConnection(new URL(urls.replica))),
    pauseReplay: async (name = "replica") => await runAt(urls[name], "select pg_wal_replay_pause()"),
    resumeReplay: async (name = "replica") => await runAt(urls[name], "select pg_wal_replay_resume()"),
    stop: async () => {
      for (const name of [...names, "primary"] as const) await servers[name].stop();
      folder.remove();
    },
  };
}

/** Sends a signal to a server and its sessions. */
function signalAll(pid: number, signal: "SIGSTOP" | "SIGCONT"): void {
  process.kill(pid, signal);
  const sessions = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  for (const session of sessions) {
    const [child, parent] = session.trim().split(/\s+/).map(Number);
    if (parent === pid) process.kill(child!, signal);
  }
}

async function runAt(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Changes the server whose WAL a replica receives. */
async function setSource(url: string, connection: string): Promise<void> {
  await runAt(url, `alter system set primary_conninfo = '${connection}'`);
  await runAt(url, "select pg_reload_conf()");
}

const toConnection = ({ port, username, password }: URL) =>
  `host=127.0.0.1 port=${port} user=${username} password=${password}`;

/** Copies the data of the stopped primary, and configures the copy as its replica. */
function copyToReplica(primaryDir: string, dir: string, primary: URL): void {
  mkdirSync(dir, { mode: 0o700 });
  copyFileSync(join(primaryDir, "postgres.password"), join(dir, "postgres.password"));
  const program = resolvePostgresProgram(dir);
  // Keeps the owner of the files, which is another user than this one in the mode `unprivileged`.
  execFileSync("cp", ["-a", resolvePostgresProgram(primaryDir).dataDir, program.dataDir]);
  writeStandbySignal(dir);
  appendFileSync(
    join(program.dataDir, "postgresql.auto.conf"),
    `primary_conninfo = '${toConnection(primary)}'\nwal_retrieve_retry_interval = '100ms'\n`,
  );
}

/** Lets a server start as a replica. */
function writeStandbySignal(dir: string): void {
  const program = resolvePostgresProgram(dir);
  const signal = join(program.dataDir, "standby.signal");
  writeFileSync(signal, "");
  program.setOwner(signal);
}
