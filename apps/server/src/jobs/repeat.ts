import type { Deps } from "../deps.ts";

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
  const stopping = new AbortController();
  const { signal } = stopping;
  const loop = async () => {
    while (!signal.aborted) {
      const more = await job.run(signal).catch((error: unknown) => {
        if (!signal.aborted) deps.log.warn({ err: error, job: job.name }, "job run failed");
        return false;
      });
      if (!more) await deps.clock.sleep(job.pauseMs, signal).catch(() => undefined);
    }
  };
  const finished = loop();
  return {
    stop: async () => {
      stopping.abort();
      await finished;
    },
  };
}
