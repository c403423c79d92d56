import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { endProcess } from "../process/childRecords.ts";
import type { PostgresProgram } from "./postgresProgram.ts";
import { processCommandLine } from "../process/processIdentity.ts";
import { StackError } from "../stack/stackError.ts";

const majorVersion = "18";

/** The owner of the embedded database: the role that migrations run as. */
export const databaseOwner = "slipway";

/**
 * Makes sure that a data folder and its password exist, creating both where neither does.
 *
 * The cluster sorts and compares the same on every machine (UTF-8, the builtin C.UTF-8 locale) and wants a password
 * (scram-sha-256), which is random and kept in `<dir>/postgres.password` (0600). It is built aside and renamed, so
 * that a half-made one is never taken for whole.
 *
 * @param durable false leaves out the final sync, for databases that are thrown away
 * @returns the password, and whether the cluster is new
 * @throws StackError when the folder holds something else
 */
export async function ensurePostgresData(
  dir: string,
  program: PostgresProgram,
  durable: boolean,
): Promise<{ password: string; created: boolean }> {
  const passwordPath = join(dir, "postgres.password");
  if (existsSync(program.dataDir)) {
    checkDataFolder(program.dataDir);
    if (!existsSync(passwordPath)) {
      throw new StackError(
        `The database in ${program.dataDir} is here but its password (${passwordPath}) is not.`,
        "Put the file back, or drop the local data: npm run reset",
      );
    }
    return { password: readFileSync(passwordPath, "utf8").trim(), created: false };
  }
  const password = randomBytes(24).toString("hex");
  writeFileSync(passwordPath, `${password}\n`, { mode: 0o600 });
  const partial = `${program.dataDir}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { mode: 0o700 });
  program.giveTo(partial);
  const passwordCopy = `${program.dataDir}.initdb-password`;
  writeFileSync(passwordCopy, `${password}\n`, { mode: 0o600 });
  program.giveTo(passwordCopy);
  try {
    await runInitdb(program, [
      `--pgdata=${partial}`,
      `--username=${databaseOwner}`,
      `--pwfile=${passwordCopy}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale-provider=builtin",
      "--locale=C.UTF-8",
      ...(durable ? [] : ["--no-sync"]),
    ]);
  } finally {
    rmSync(passwordCopy, { force: true });
  }
  renameSync(partial, program.dataDir);
  return { password, created: true };
}

function checkDataFolder(dataDir: string): void {
  let found: string;
  try {
    found = readFileSync(join(dataDir, "PG_VERSION"), "utf8").trim();
  } catch {
    throw new StackError(
      `${dataDir} is not a PostgreSQL data folder.`,
      "Move it away if it is yours, or drop the local data: npm run reset",
    );
  }
  if (found !== majorVersion) {
    throw new StackError(
      `The database in ${dataDir} was made by PostgreSQL ${found}; this is PostgreSQL ${majorVersion}.`,
      "Drop the local data and begin anew: npm run reset",
    );
  }
}

function runInitdb(program: PostgresProgram, initdbArgs: string[]): Promise<void> {
  const { command, args, asUser } = program.command("initdb", initdbArgs);
  const user = asUser === undefined ? {} : { uid: asUser, gid: asUser };
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], cwd: "/", ...user });
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    child.stderr.on("data", (chunk) => (output += chunk));
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) return resolve();
      reject(
        new StackError(
          `PostgreSQL could not create its data folder (mode ${program.mode}):\n${output.trimEnd()}`,
          "Check that the folder is writable and the disk not full.",
        ),
      );
    });
  });
}

/**
 * Ends a server that survived a crash and still runs on this data folder, so that the next one can start. A pid file
 * that names no such server is removed.
 *
 * @returns true when one was running
 */
export async function endSurvivingPostgres(dataDir: string): Promise<boolean> {
  const pidFile = join(dataDir, "postmaster.pid");
  let pid: number;
  try {
    pid = Number(readFileSync(pidFile, "utf8").split("\n")[0]);
  } catch {
    return false;
  }
  // The pid may by now be another program's.
  if (!processCommandLine(pid)?.includes(dataDir)) {
    rmSync(pidFile, { force: true });
    return false;
  }
  await endProcess(pid, "SIGINT");
  return true;
}
