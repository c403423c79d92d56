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

type Name = "primary" | "replica";

/** A PostgreSQL server with the migrated schema, and its streaming replica. */
export type ReplicatedPostgres = {
  /** The URLs of the owner. */
  urls: Record<Name, string>;
  /** Ends a server without a shutdown, like a failure of its machine. */
  kill(name: Name): Promise<void>;
  /** Stops every process of a server, whose connections then stay open without an answer. */
  freeze(name: Name): void;
  thaw(name: Name): void;
  /** Starts a server again, with its data and at its port. */
  restart(name: Name): Promise<void>;
  /** Ends the replication: the replica receives no later change. */
  disconnect(): Promise<void>;
  /** Makes the replica a primary. */
  promote(): Promise<void>;
  /** Stops the replay of the replica, which continues to answer with older and older data. */
  pauseReplay(): Promise<void>;
  resumeReplay(): Promise<void>;
  stop(): Promise<void>;
};

/** Starts both servers. The replica starts as a copy of the stopped primary, and then streams its WAL. */
export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const folder = temporaryFolder();
  const dirs = { primary: join(folder.path, "primary"), replica: join(folder.path, "replica") };
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
  copyToReplica(dirs, new URL(original.url));
  const servers: Record<Name, Postgres> = {
    primary: await start("primary", original.port),
    replica: await start("replica"),
  };
  const urls = { primary: servers.primary.url, replica: servers.replica.url };

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
    disconnect: async () => {
      await runAt(urls.replica, "alter system set primary_conninfo = ''");
      await runAt(urls.replica, "select pg_reload_conf()");
      const walReceivers = "select 1 / (select (count(*) = 0)::int from pg_stat_wal_receiver)";
      await vi.waitFor(() => runAt(urls.replica, walReceivers), { timeout: 30_000 });
    },
    promote: async () => await runAt(urls.replica, "select pg_promote()"),
    pauseReplay: async () => await runAt(urls.replica, "select pg_wal_replay_pause()"),
    resumeReplay: async () => await runAt(urls.replica, "select pg_wal_replay_resume()"),
    stop: async () => {
      for (const server of [servers.replica, servers.primary]) await server.stop();
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

/** Copies the data of the stopped primary, and configures the copy as its replica. */
function copyToReplica(dirs: Record<Name, string>, primary: URL): void {
  mkdirSync(dirs.replica, { mode: 0o700 });
  copyFileSync(join(dirs.primary, "postgres.password"), join(dirs.replica, "postgres.password"));
  const programs = { primary: resolvePostgresProgram(dirs.primary), replica: resolvePostgresProgram(dirs.replica) };
  // Keeps the owner of the files, which is another user than this one in the mode `unprivileged`.
  execFileSync("cp", ["-a", programs.primary.dataDir, programs.replica.dataDir]);
  const signal = join(programs.replica.dataDir, "standby.signal");
  writeFileSync(signal, "");
  programs.replica.setOwner(signal);
  const connection = `host=127.0.0.1 port=${primary.port} user=${primary.username} password=${primary.password}`;
  appendFileSync(
    join(programs.replica.dataDir, "postgresql.auto.conf"),
    `primary_conninfo = '${connection}'\nwal_retrieve_retry_interval = '100ms'\n`,
  );
}
