import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { freePort } from "../process/freePort.ts";
import { databaseOwner, endSurvivingPostgres, ensurePostgresData } from "./postgresData.ts";
import { type PostgresProgram, type PostgresRunMode, postgresProgram } from "./postgresProgram.ts";
import { type Child, logTail, spawnChild } from "../process/spawnChild.ts";
import { StackError } from "../stack/stackError.ts";

export type StartPostgresParameters = {
  /** The stack's folder: data in `postgres/`, log in `postgres.log`, password in `postgres.password`. */
  dir: string;
  /** Ports to try first; otherwise any free one. */
  preferredPorts?: number[];
  /** False trades safety in a power cut for speed: for databases that are thrown away. Default true. */
  durable?: boolean;
  /** Forces the way the programs run; see `postgresProgram`. */
  mode?: PostgresRunMode;
};

export type Postgres = {
  /** postgres://owner:password@127.0.0.1:port/slipway */
  url: string;
  port: number;
  /** The same, for another role or another database of this server. */
  urlFor: (options: { user?: string; password?: string; database?: string }) => string;
  /** True when the data folder was made by this start. */
  created: boolean;
  /** True when a server that survived a crash had to be ended first. */
  endedSurvivor: boolean;
  mode: PostgresRunMode;
  child: Child;
  stop: () => Promise<void>;
};

const databaseName = "slipway";
const startTimeoutMs = 60_000;

/**
 * Starts the embedded PostgreSQL 18 on 127.0.0.1 with the data of the folder, and creates the database `slipway`
 * where it is missing. Ends a server of the same folder that survived a crash. `stop` is a fast shutdown: open
 * transactions are rolled back, everything committed stays.
 *
 * @example
 * const postgres = await startPostgres({ dir: ".slipway" });
 * new pg.Pool({ connectionString: postgres.url });
 * await postgres.stop();
 *
 * @throws StackError when the folder holds a foreign database or the server does not come up
 */
export async function startPostgres(parameters: StartPostgresParameters): Promise<Postgres> {
  const { dir, preferredPorts = [], durable = true } = parameters;
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const program = postgresProgram(dir, parameters.mode);
  const { password, created } = await ensurePostgresData(dir, program, durable);
  const endedSurvivor = await endSurvivingPostgres(program.dataDir);
  const { child, port } = await startServer(dir, program, password, preferredPorts, durable);
  const urlFor: Postgres["urlFor"] = ({ user = databaseOwner, password: given = password, database = databaseName }) =>
    `postgres://${user}:${given}@127.0.0.1:${port}/${database}`;
  await createDatabase(urlFor({ database: "postgres" }));
  return { url: urlFor({}), port, urlFor, created, endedSurvivor, mode: program.mode, child, stop: child.stop };
}

async function startServer(
  dir: string,
  program: PostgresProgram,
  password: string,
  preferredPorts: number[],
  durable: boolean,
): Promise<{ child: Child; port: number }> {
  const logPath = join(dir, "postgres.log");
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort(attempt === 1 ? preferredPorts : []);
    const logStart = sizeOf(logPath);
    const child = await spawnChild({
      dir,
      name: "PostgreSQL",
      endSignal: "SIGINT",
      endOrder: 3,
      cwd: "/",
      logPath,
      ...program.command("postgres", ["-D", program.dataDir, ...serverSettings(port, durable)]),
    });
    if (await answers(child, `postgres://${databaseOwner}:${password}@127.0.0.1:${port}/postgres`)) {
      return { child, port };
    }
    await child.stop();
    const tail = logTail(logPath);
    // Somebody else took the port between the choice and the bind.
    if (attempt < 5 && sizeOf(logPath) > logStart && tail.includes("Address already in use")) continue;
    throw new StackError(`PostgreSQL did not start:\n${tail}`, `Its whole log is ${logPath}.`);
  }
}

function serverSettings(port: number, durable: boolean): string[] {
  const settings: Record<string, string | number> = {
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: "",
    max_connections: 200,
    jit: "off",
    // How many pages are read from disk at once; 3 by default.
    io_workers: 8,
    cluster_name: "slipway",
    log_line_prefix: "%m [%p] %u@%d ",
    ...(durable ? {} : { fsync: "off", synchronous_commit: "off", full_page_writes: "off" }),
  };
  return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

/** Waits until the server takes a query. @returns false when it ended or took too long. */
async function answers(child: Child, connectionString: string): Promise<boolean> {
  const deadline = Date.now() + startTimeoutMs;
  while (child.exit() === null && Date.now() < deadline) {
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000 });
    client.on("error", () => undefined);
    try {
      await client.connect();
      await client.end();
      return true;
    } catch (error) {
      await client.end().catch(() => undefined);
      // 28P01: the password in the folder is not this database's; it will not become so by waiting.
      if ((error as { code?: string }).code === "28P01") {
        await child.stop();
        throw new StackError(
          "The database in the state folder does not accept the password kept beside it: it is another stack's.",
          "Put both back as they were, or drop the local data: npm run reset",
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  return false;
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

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
