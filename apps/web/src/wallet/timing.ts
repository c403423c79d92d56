/** Clock and timers, which tests replace. */
export type Timing = {
  /** Milliseconds of a monotonic clock. */
  now(): number;
  /** Resolves after this time, or when the signal aborts. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
};

/** The browser's clock and timers. */
export const systemTiming: Timing = {
  now: () => performance.now(),
  wait: (milliseconds, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      signal?.addEventListener("abort", end);
    }),
};
