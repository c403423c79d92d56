/** A clock that a test advances in steps of at most 500 ms; sleepers resolve when their time is reached. */
export function createManualClock() {
  let now = 1_000_000;
  let sleepers: { at: number; wake: () => void }[] = [];
  return {
    now: () => now,
    sleep: (milliseconds: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
        sleepers.push({ at: now + milliseconds, wake: resolve });
      }),
    advance: async (milliseconds: number) => {
      const end = now + milliseconds;
      // Code that runs now schedules its sleeps first.
      await new Promise((resolve) => setImmediate(resolve));
      while (now < end) {
        now = Math.min(end, now + 500);
        const due = sleepers.filter(({ at }) => at <= now);
        sleepers = sleepers.filter(({ at }) => at > now);
        for (const { wake } of due) wake();
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}
