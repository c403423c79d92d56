import type { Deps } from "../deps.ts";

/** Something of the worker that goes on until it is stopped. */
export type Job = {
  /** Ends what is under way, and resolves when nothing goes on any more. */
  stop(): Promise<void>;
};

/**
 * Does a turn of work again and again, `pauseMs` after the last. A turn that fails is logged and tried again.
 *
 * @param job.turn - Ends early when its signal aborts; answers true when there is more to do at once.
 */
export function repeat(
  deps: Pick<Deps, "clock" | "log">,
  job: { name: string; pauseMs: number; run: (signal: AbortSignal) => Promise<boolean> },
): Job {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async () => {
    while (!signal.aborted) {
      const more = await job.run(signal).catch((error: unknown) => {
        if (!signal.aborted) deps.log.warn({ err: error, job: job.name }, "a turn of a job failed");
        return false;
      });
      if (!more) await deps.clock.sleep(job.pauseMs, signal).catch(() => undefined);
    }
  };
  const finished = run();
  return {
    stop: async () => {
      stopping.abort();
      await finished;
    },
  };
}
