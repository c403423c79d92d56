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
  { clock, log, metrics, observer }: Pick<Deps, "clock" | "log" | "metrics" | "observer">,
  job: { name: string; pauseMs: number; run: (signal: AbortSignal) => Promise<boolean> },
): Job {
  const { name } = job;
  return createPoller({
    clock,
    run: async (signal) => {
      try {
        const run = () => job.run(signal);
        const hasMore =
          observer === undefined ? await run() : await observer.trace({ kind: "internal", name: `job ${name}` }, run);
        metrics.jobRuns.inc({ job_name: name, outcome: "done" });
        return hasMore ? 0 : job.pauseMs;
      } catch (error) {
        if (signal.aborted) return job.pauseMs;
        metrics.jobRuns.inc({ job_name: name, outcome: "failed" });
        log.warn({ err: error, job: name }, "job run failed");
        return job.pauseMs;
      }
    },
  });
}
