import { chownSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { requireProgram } from "../../../tests/support/findProgram.ts";

/** WAL is archived at least this often, which bounds what a lost machine loses. */
export const archiveTimeoutSeconds = 5;

export const stanza = "slipway";

/** Writes the configuration of pgBackRest for a server. @returns its path */
function writeConfiguration(home: string, port: number): string {
  const repository = join(home, "repository");
  mkdirSync(repository, { mode: 0o700, recursive: true });
  const file = join(home, "pgbackrest.conf");
  const lines = [
    "[global]",
    `repo1-path=${repository}`,
    `log-path=${home}`,
    `lock-path=${home}/lock`,
    `spool-path=${home}`,
    "log-level-console=warn",
    "start-fast=y",
    "compress-type=lz4",
    "[slipway]",
    `pg1-path=${join(home, "data")}`,
    `pg1-port=${port}`,
    `pg1-socket-path=${home}`,
    "pg1-user=postgres",
    "pg1-database=postgres",
  ];
  writeFileSync(file, `${lines.join("\n")}\n`);
  if (process.getuid?.() === 0) chownSync(repository, getOwner(home), getOwner(home));
  return file;
}

const getOwner = (path: string) => statSync(path).uid;

/** The settings of PostgreSQL with which pgBackRest archives its WAL. */
export function createArchiveSettings(home: string, port: number): Record<string, string> {
  const file = writeConfiguration(home, port);
  const command = `${requireProgram("pgbackrest")} --config=${file} --stanza=${stanza} archive-push %p`;
  return { archive_mode: "on", archive_command: command, archive_timeout: String(archiveTimeoutSeconds) };
}

export type BackRest = (command: string, ...options: string[]) => string;

/** Returns the function that runs a command of pgBackRest as the user of PostgreSQL. */
export function createBackRest(
  home: string,
  runAsOwner: (command: string, args: readonly string[]) => string,
): BackRest {
  const program = requireProgram("pgbackrest");
  const file = join(home, "pgbackrest.conf");
  return (command, ...options) =>
    runAsOwner("env", [
      `PGPASSWORD=superuser-password`,
      program,
      `--config=${file}`,
      `--stanza=${stanza}`,
      ...options,
      command,
    ]);
}
