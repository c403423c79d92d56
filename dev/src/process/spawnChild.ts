import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { StackError } from "../stack/stackError.ts";
import { type ChildRecord, endProcess, recordChild, removeChild } from "./childRecords.ts";
import { getFreePort } from "./getFreePort.ts";
import { startReaper } from "./reaper.ts";

/** The end of a child: its exit code, or the signal that ended it. */
export type ChildExit = { code: number | null; signal: NodeJS.Signals | null };

export type Child = {
  pid: number;
  /** Resolves when the process has ended for any reason. Never rejects. */
  exited: Promise<ChildExit>;
  /** Null while the process runs. */
  exit: () => ChildExit | null;
  /** Sends the end signal, waits for the exit, and kills the process after 15 s. */
  stop: () => Promise<void>;
};

export type SpawnChildParameters = Pick<ChildRecord, "name" | "endSignal" | "endOrder"> & {
  /** The stack's folder: the child is recorded there until it ends. */
  dir: string;
  command: string;
  args: string[];
  /** Added to the environment of this process. */
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** The log for stdout and stderr, appended. Renamed to `<logPath>.1` at the start if it exceeds 20 MB. */
  logPath: string;
  /** The user and group to run as (requires root). */
  asUser?: number;
};

const maxLogBytes = 20 * 1024 * 1024;
const readyTimeoutMs = 180_000;
const maxPortAttempts = 5;
const temporaryFailureMs = 10_000;

/**
 * Starts a process that ends at `stop()` or with this process. It has its own session, so that Ctrl-C in a terminal
 * reaches only this process, which then ends its children in order. It is recorded in the stack's folder; the reaper
 * ends it when this process is killed.
 *
 * @throws Error when the program cannot be started (not found, not executable)
 */
export async function spawnChild(parameters: SpawnChildParameters): Promise<Child> {
  const { dir, name, command, args, env, cwd, logPath, endSignal, endOrder, asUser } = parameters;
  mkdirSync(dirname(logPath), { recursive: true });
  if (getLogSize(logPath) > maxLogBytes) renameSync(logPath, `${logPath}.1`);
  startReaper(dir);
  const log = openSync(logPath, "a", 0o600);
  const user = asUser === undefined ? {} : { uid: asUser, gid: asUser };
  const options = { cwd, env: { ...process.env, ...env }, detached: true, ...user };
  const subprocess = spawn(command, args, { ...options, stdio: ["ignore", log, log] });
  closeSync(log);
  await once(subprocess, "spawn");
  const pid = subprocess.pid as number;
  recordChild(dir, { name, pid, endSignal, endOrder });
  let exit: ChildExit | null = null;
  const exited = once(subprocess, "exit").then(([code, signal]): ChildExit => {
    exit = { code, signal };
    removeChild(dir, pid);
    return exit;
  });
  return {
    pid,
    exited,
    exit: () => exit,
    stop: async () => {
      if (exit === null) await endProcess(pid, endSignal);
      await exited;
    },
  };
}

export type SpawnListenerParameters = {
  /** The name in the error message, e.g. `PostgreSQL`. */
  title: string;
  logPath: string;
  /** The port to listen on. Default: the first free port of `preferredPorts`, otherwise any free port. */
  port?: number | undefined;
  preferredPorts?: number[] | undefined;
  spawn: (port: number) => Promise<Child>;
  /** Checks whether the program responds on its port. Called repeatedly until it does. */
  isReady: (port: number) => Promise<boolean>;
  /** A text in the log of a start that failed for a reason that ends by itself: the program is started again. */
  temporaryFailure?: string;
};

/**
 * Starts a program that listens on a port of 127.0.0.1 and waits until it responds. If another program takes the free
 * port first, the next attempt uses another port. After a temporary failure, the program is
 * started again, for at most ten seconds.
 *
 * @throws StackError with the end of the log when the program ends or does not respond within three minutes
 */
export async function spawnListener(parameters: SpawnListenerParameters): Promise<{ child: Child; port: number }> {
  const { title, logPath, preferredPorts = [], spawn, isReady, temporaryFailure } = parameters;
  const retryUntil = Date.now() + temporaryFailureMs;
  let takenPorts = 0;
  for (;;) {
    const wanted = takenPorts === 0 ? preferredPorts : [];
    const port = parameters.port ?? (await getFreePort(wanted));
    const logStart = getLogSize(logPath);
    const child = await spawn(port);
    try {
      const deadline = Date.now() + readyTimeoutMs;
      while (child.exit() === null && Date.now() < deadline) {
        if (!(await isReady(port))) {
          await sleep(20);
          continue;
        }
        // Another program may have the port and respond instead: the child must still run a moment later.
        await sleep(30);
        if (child.exit() === null) return { child, port };
      }
    } catch (error) {
      await child.stop();
      throw error;
    }
    await child.stop();
    const tail = readLogTail(logPath, 15, logStart);
    if (temporaryFailure !== undefined && tail.includes(temporaryFailure) && Date.now() < retryUntil) {
      await sleep(100);
      continue;
    }
    if (tail.includes("Address already in use") && parameters.port === undefined) {
      takenPorts += 1;
      if (takenPorts < maxPortAttempts) continue;
    }
    throw new StackError(`${title} did not start:\n${tail}`, `Its whole log is ${logPath}.`);
  }
}

function getLogSize(logPath: string): number {
  return statSync(logPath, { throwIfNoEntry: false })?.size ?? 0;
}

/** Returns the last lines of a log from a byte offset, for an error message; empty without a log. */
export function readLogTail(logPath: string, lines = 15, fromByte = 0): string {
  try {
    const log = readFileSync(logPath);
    const recent = log.subarray(fromByte > log.length ? 0 : fromByte).toString("utf8");
    return recent.trimEnd().split("\n").slice(-lines).join("\n");
  } catch {
    return "";
  }
}
