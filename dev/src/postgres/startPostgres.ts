import { mkdirSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { type Child, spawnChild, spawnListener } from "../process/spawnChild.ts";
import { StackError } from "../stack/stackError.ts";
import { databaseOwner, endOrphanedPostgres, ensurePostgresData } from "./postgresData.ts";
import { type PostgresRunMode, resolvePostgresProgram } from "./postgresProgram.ts";

export type StartPostgresParameters = {
  /** The stack's folder: data in `postgres/`, log in `postgres.log`, password in `postgres.password`. */
  dir: string;
  /** The port to listen on. Default: the first free port of `preferredPorts`, otherwise any free port. */
  port?: number;
  preferredPorts?: number[];
  /** False reduces crash safety for speed: for temporary databases. Default true. */
  durable?: boolean;
  /** Forces a way to run the programs; see `resolvePostgresProgram`. */
  mode?: PostgresRunMode;
};

export type Postgres = {
  /** postgres://owner:password@127.0.0.1:port/slipway */
  url: string;
  port: number;
  /** Returns the URL for another role or another database of this server. */
  urlFor: (options: { user?: string; password?: string; database?: string }) => string;
  /** Whether this start created the data folder. */
  created: boolean;
  /** Whether an orphaned server of the folder was ended first. */
  endedOrphan: boolean;
  mode: PostgresRunMode;
  child: Child;
  stop: () => Promise<void>;
};

const databaseName = "slipway";

/**
 * Starts the embedded PostgreSQL 18 on 127.0.0.1 with the data of the folder, and creates the database `slipway` if it
 * is missing. Ends an orphaned server of the same folder. `stop` is a fast shutdown: it rolls back open transactions
 * and keeps all committed data.
 *
 * @example
 * const postgres = await startPostgres({ dir: ".slipway" });
 * new pg.Pool({ connectionString: postgres.url });
 * await postgres.stop();
 *
 * @throws StackError when the folder contains another database or the server does not start
 */
export async function startPostgres(parameters: StartPostgresParameters): Promise<Postgres> {
  const { dir, durable = true } = parameters;
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const program = resolvePostgresProgram(dir, parameters.mode);
  const { password, created } = await ensurePostgresData(dir, program, durable);
  const endedOrphan = await endOrphanedPostgres(program.dataDir);
  const logPath = join(dir, "postgres.log");
  const { child, port } = await spawnListener({
    title: "PostgreSQL",
    logPath,
    port: parameters.port,
    preferredPorts: parameters.preferredPorts,
    spawn: (port) => {
      const command = program.command("postgres", ["-D", program.dataDir, ...createServerArguments(port, durable)]);
      return spawnChild({ dir, name: "PostgreSQL", endSignal: "SIGINT", endOrder: 3, cwd: "/", logPath, ...command });
    },
    // The processes of a killed server end shortly after it.
    temporaryFailure: "pre-existing shared memory block",
    isReady: (port) => acceptsConnections(`postgres://${databaseOwner}:${password}@127.0.0.1:${port}/postgres`),
  });
  const urlFor: Postgres["urlFor"] = ({ user = databaseOwner, password: secret = password, database = databaseName }) =>
    `postgres://${user}:${secret}@127.0.0.1:${port}/${database}`;
  await createDatabase(urlFor({ database: "postgres" }));
  return { url: urlFor({}), port, urlFor, created, endedOrphan, mode: program.mode, child, stop: child.stop };
}

/** The number of pages that are read from disk concurrently is 3 by default. */
const durableSettings = { io_workers: 8 };

/** A temporary database is in memory: the processes that read pages from disk would only take CPU time. */
const temporarySettings = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  scram_iterations: 1,
  io_method: "sync",
};

function createServerArguments(port: number, durable: boolean): string[] {
  const settings: Record<string, string | number> = {
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: "",
    max_connections: 200,
    jit: "off",
    cluster_name: "slipway",
    log_line_prefix: "%m [%p] %u@%d ",
    ...(durable ? durableSettings : temporarySettings),
  };
  return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

/** @throws StackError when the server rejects the password */
async function acceptsConnections(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return true;
  } catch (error) {
    // 28P01, invalid_password: another attempt cannot succeed.
    if ((error as { code?: string }).code !== "28P01") return false;
    throw new StackError(
      "The database in the state folder does not accept the password stored beside it: it belongs to another stack.",
      "Put both back as they were, or delete the local data: npm run reset",
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function createDatabase(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const found = await client.query("select 1 from pg_database where datname = $1", [databaseName]);
    if (found.rowCount === 0) await client.query(`create database ${databaseName}`);
  } finally {
    await client.end();
  }
}
