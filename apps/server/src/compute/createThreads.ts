import { SlipwayError } from "@slipway/protocol/errors";
import { Tinypool } from "tinypool";
import type { Clock } from "../clock.ts";

export type Threads = {
  /**
   * Runs a function of the program on a thread.
   *
   * @throws SlipwayError `overloaded` when it takes longer than `limitMs` or its thread ends; the errors of the
   *   function.
   */
  run<T>(name: string, task: unknown, limitMs: number): Promise<T>;
  /** Ends the threads. */
  stop(): Promise<void>;
};

/** The time in which a thread must load its program; it does not count against the deadline of a task. */
const startMs = 30_000;

/**
 * Creates a pool of threads for computations. Threads start with the first task and get no environment; a thread is
 * ended and replaced when a task exceeds its deadline.
 *
 * @param options.program - Exports the functions, and `start`, which does nothing.
 * @param options.what - The name of a task in messages, such as "forecast".
 */
export function createThreads(options: {
  clock: Pick<Clock, "sleep">;
  program: string;
  threads: number;
  maxMemoryMb: number;
  what: string;
}): Threads {
  let started: { pool: Tinypool; ready: Promise<void> } | null = null;

  const runIn = async <T>(pool: Tinypool, name: string, task: unknown, limitMs: number): Promise<T> => {
    const timeout = new AbortController();
    const done = new AbortController();
    options.clock.sleep(limitMs, done.signal).then(
      () => timeout.abort(),
      () => undefined,
    );
    try {
      return (await pool.run(task, { name, signal: timeout.signal })) as T;
    } catch (error) {
      // Errors of the function are rethrown unchanged; only a timeout or a lost thread can succeed on a retry.
      if (!timeout.signal.aborted && !isEndOfThread(error)) throw error;
      const why = timeout.signal.aborted ? "took too long." : "was interrupted.";
      throw new SlipwayError("overloaded", `The ${options.what} ${why}`, { cause: error });
    } finally {
      done.abort();
    }
  };

  const start = () => {
    const pool = createThreadPool(options);
    const ready = runIn<void>(pool, "start", null, startMs);
    // Each waiting task reports this error, and the next task starts a new pool.
    ready.catch(() => {
      if (started?.pool === pool) started = null;
      void pool.destroy().catch(() => undefined);
    });
    return { pool, ready };
  };

  return {
    run: async (name, task, limitMs) => {
      started ??= start();
      const { pool, ready } = started;
      await ready;
      return await runIn(pool, name, task, limitMs);
    },
    stop: async () => await started?.pool.destroy(),
  };
}

/** Creates a pool of threads without an environment. */
export function createThreadPool(options: { program: string; threads: number; maxMemoryMb: number }): Tinypool {
  const { program, threads, maxMemoryMb } = options;
  const pool = new Tinypool({
    runtime: "worker_threads",
    filename: program,
    minThreads: threads,
    maxThreads: threads,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb },
  });
  // A thread that ends between two tasks is replaced.
  pool.on("error", () => undefined);
  return pool;
}

/** Whether a thread ended during the task: it exited, or used up its memory. */
function isEndOfThread(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return code === "ERR_WORKER_OUT_OF_MEMORY" || /worker/i.test(message ?? "");
}
