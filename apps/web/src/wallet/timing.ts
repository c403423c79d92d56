/** The passing of time, which tests replace. */
export type Timing = {
  /** Milliseconds of a clock that never goes back. */
  now(): number;
  /** Resolves after so many milliseconds, or when the signal is aborted. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
};

/** The browser's. */
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
