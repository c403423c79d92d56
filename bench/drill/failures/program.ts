import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Child, type SpawnChildParameters, spawnChild } from "@slipway/dev/process/spawnChild";

/** A program of the drill that is killed and started again. */
export type Program = {
  name: string;
  logPath: string;
  pid(): number | null;
  start(): Promise<void>;
  /** SIGKILL to the program, and to the processes of `alsoKill`; waits for the end of the program. */
  kill(): Promise<void>;
  /** Ends the program in order, and then kills what remains of `alsoKill`. */
  stop(): Promise<void>;
};

type ProgramOptions = Pick<SpawnChildParameters, "command" | "args" | "env" | "asUser"> & {
  name: string;
  dir: string;
  /** The order in which programs end when the drill is killed. */
  endOrder: 1 | 2 | 3;
  /** Returns further processes that end with the machine of the program. */
  alsoKill?: () => readonly number[];
};

export function createProgram(options: ProgramOptions): Program {
  const { name, dir, alsoKill = () => [], ...spawning } = options;
  const logPath = join(dir, `${name}.log`);
  let child: Child | null = null;
  return {
    name,
    logPath,
    pid: () => (child?.exit() === null ? child.pid : null),
    start: async () => {
      child = await spawnChild({ ...spawning, dir, name, endSignal: "SIGTERM", logPath });
    },
    kill: async () => {
      const pids = [...alsoKill()];
      if (child !== null && child.exit() === null) pids.unshift(child.pid);
      for (const pid of pids) signalIfAlive(pid, "SIGKILL");
      await child?.exited;
    },
    stop: async () => {
      await child?.stop();
      // A program that did not end in time was killed, and has left them.
      for (const pid of alsoKill()) signalIfAlive(pid, "SIGKILL");
    },
  };
}

export function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Returns the pid of PostgreSQL's first process; null if the server does not run. */
export function readPostmasterPid(dataDir: string): number | null {
  try {
    const pid = Number(readFileSync(join(dataDir, "postmaster.pid"), "utf8").split("\n")[0]);
    // The file of a killed server can name a pid that another process has now.
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(dataDir) ? pid : null;
  } catch {
    return null;
  }
}

/** Creates the folder of a drill, which other users may enter. */
export function createDrillFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "slipway-drill-"));
  chmodSync(path, 0o755);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Creates a folder within it. @param owner - The user that writes it; undefined: this user. */
export function createSubfolder(parent: string, name: string, owner: number | undefined): string {
  const path = join(parent, name);
  mkdirSync(path, { mode: 0o700 });
  if (owner !== undefined) chownSync(path, owner, owner);
  return path;
}

/** Functions that end the parts of a drill, in the order of their start. */
export type Cleanups = (() => Promise<unknown>)[];

/** Polls until a condition holds. @throws Error with `what` after the timeout. */
export async function until(
  what: string,
  condition: () => Promise<boolean> | boolean,
  { timeoutMs = 60_000, signal }: { timeoutMs?: number; signal?: AbortSignal } = {},
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (
    !(await Promise.resolve()
      .then(condition)
      .catch(() => false))
  ) {
    signal?.throwIfAborted();
    if (performance.now() > deadline) throw new Error(`not reached within ${timeoutMs / 1_000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
