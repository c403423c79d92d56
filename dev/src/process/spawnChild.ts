import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { type ChildRecord, endProcess, forgetChild, recordChild } from "./childRecords.ts";
import { watchOver } from "./guard.ts";

/** How a child ended: its exit code, or the signal that ended it. */
export type ChildExit = { code: number | null; signal: NodeJS.Signals | null };

export type Child = {
  pid: number;
  /** Resolves when the process has ended, whoever ended it. Never rejects. */
  exited: Promise<ChildExit>;
  /** Null while it runs. */
  exit: () => ChildExit | null;
  /** Asks it to finish, waits, kills it after 15 s. */
  stop: () => Promise<void>;
};

export type SpawnChildParameters = Pick<ChildRecord, "name" | "endSignal" | "endOrder"> & {
  /** The stack's folder: the child is noted there until it ends. */
  dir: string;
  command: string;
  args: string[];
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Gets stdout and stderr, appended. Set aside as `<logPath>.1` at the start when it is above 20 MB. */
  logPath: string;
  /** Runs it as this user and group (only root may). */
  asUser?: number;
};

const maximumLogBytes = 20 * 1024 * 1024;

/**
 * Starts a process that outlives neither `stop()` nor this process: its own session, so that Ctrl-C in a terminal
 * reaches the supervisor alone, which then ends its children in order; noted in the stack's folder; watched by the
 * guard, which ends it when this process is killed.
 *
 * @throws when the program cannot be started (not found, not executable).
 */
export async function spawnChild(parameters: SpawnChildParameters): Promise<Child> {
  const { dir, name, command, args, env, cwd, logPath, endSignal, endOrder, asUser } = parameters;
  mkdirSync(dirname(logPath), { recursive: true });
  setLongLogAside(logPath);
  watchOver(dir);
  const log = openSync(logPath, "a", 0o600);
  const user = asUser === undefined ? {} : { uid: asUser, gid: asUser };
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ["ignore", log, log], ...user });
  closeSync(log);
  let ended: ChildExit | null = null;
  const exited = new Promise<ChildExit>((resolve) => {
    child.once("exit", (code, signal) => {
      ended = { code, signal };
      forgetChild(dir, child.pid as number);
      resolve(ended);
    });
  });
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
  const pid = child.pid as number;
  if (ended === null) recordChild(dir, { name, pid, endSignal, endOrder });
  return {
    pid,
    exited,
    exit: () => ended,
    stop: async () => {
      if (ended === null) await endProcess(pid, endSignal);
      await exited;
    },
  };
}

function setLongLogAside(logPath: string): void {
  try {
    if (statSync(logPath).size > maximumLogBytes) renameSync(logPath, `${logPath}.1`);
  } catch {
    // No log yet.
  }
}

/** The last lines of a log from a byte on, for an error message. Empty when there is none. */
export function logTail(logPath: string, lines = 15, fromByte = 0): string {
  try {
    const log = readFileSync(logPath);
    return log
      .subarray(fromByte > log.length ? 0 : fromByte)
      .toString("utf8")
      .trimEnd()
      .split("\n")
      .slice(-lines)
      .join("\n");
  } catch {
    return "";
  }
}
