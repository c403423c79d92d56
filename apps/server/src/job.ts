import { createPoller } from "./createPoller.ts";
import type { Deps } from "./deps.ts";

/** A background job of the worker. */
export type Job = {
  /** Aborts the current run; resolves when the job has stopped. */
  stop(): Promise<void>;
};

/**
 * Starts a job that runs repeatedly, `pauseMs` after the previous run. A failed run is logged and retried.
 *
 * @param job.run - Ends early when its signal aborts; returns true to run again without a pause.
 */
export function repeat(
  deps: Pick<Deps, "clock" | "log">,
  job: { name: string; pauseMs: number; run: (signal: AbortSignal) => Promise<boolean> },
): Job {
  return createPoller({
    clock: deps.clock,
    run: async (signal) => {
      try {
        return (await job.run(signal)) ? 0 : job.pauseMs;
      } catch (error) {
        if (!signal.aborted) deps.log.warn({ err: error, job: job.name }, "job run failed");
        return job.pauseMs;
      }
    },
  });
}
