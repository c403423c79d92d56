import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import { Tinypool } from "tinypool";
import type { Clock } from "../clock.ts";

export type IsolatedPool<Task, Result> = {
  /**
   * Runs a task in one of the processes. A process that exceeds the deadline is killed.
   *
   * @returns `timeout` if the deadline was exceeded.
   * @throws Error when the process ends by itself.
   */
  run(task: Task): Promise<Result | "timeout">;
  /** Ends the processes. */
  stop(): Promise<void>;
};

/** An unused process ends after this time. */
const idleMs = 60_000;

/** The environment of a process: the variables that libvips and the allocator read, and none of the service's. */
const environment = { VIPS_WARNING: "0", MALLOC_ARENA_MAX: "2" };

/**
 * Node's permission model: a process reads its program and its libraries, writes no file, opens no connection and
 * starts no process or thread. Native code is not subject to it; it is a second line of defence behind the limits of
 * formats.
 */
function getPermissions(program: string, libraries: readonly string[]): string[] {
  const folders = ["tinypool", ...libraries].map((name) =>
    findPackageJSON(name, import.meta.url)!.replace(/(?<=[\\/]node_modules[\\/]).*$/s, ""),
  );
  const readable = new Set([...folders, dirname(program), import.meta.dirname].map((folder) => join(folder, "*")));
  return ["--permission", "--allow-addons", ...[...readable].map((path) => `--allow-fs-read=${path}`)];
}

/**
 * Creates a pool of processes that handle untrusted bytes and texts. They start with the first task and contain no
 * secret; a process that crashes or is killed is replaced.
 *
 * @param options.name - The program's function, which takes a task.
 * @param options.libraries - The packages that the program imports.
 * @param options.env - Environment variables of the processes, in addition to those of libvips and the allocator.
 */
export function createIsolatedPool<Task, Result>(options: {
  clock: Pick<Clock, "sleep">;
  program: string;
  name: string;
  processes: number;
  libraries: readonly string[];
  deadlineMs: number;
  env?: Record<string, string>;
}): IsolatedPool<Task, Result> {
  const { clock, program, name, processes, deadlineMs } = options;
  const pool = new Tinypool({
    runtime: "child_process",
    filename: program,
    name,
    minThreads: 0,
    maxThreads: processes,
    idleTimeout: idleMs,
    serialization: "advanced",
    env: { ...environment, ...options.env },
    execArgv: [...getPermissions(program, options.libraries), "--max-old-space-size=128", "--no-warnings"],
  });
  // A process that ends between two tasks is replaced by the next one.
  pool.on("error", () => undefined);

  return {
    run: async (task) => {
      const timeout = new AbortController();
      const done = new AbortController();
      clock.sleep(deadlineMs, done.signal).then(
        () => timeout.abort(),
        () => undefined,
      );
      try {
        return (await pool.run(task, { signal: timeout.signal })) as Result;
      } catch (error) {
        if (!timeout.signal.aborted) throw error;
        return "timeout";
      } finally {
        done.abort();
      }
    },
    stop: () => pool.destroy(),
  };
}
