import type { Clock } from "./clock.ts";

export type Poller = {
  /** Ends the pause; during a run, the next run follows without a pause. */
  wake(): void;
  /** Aborts the run and the pause; resolves when the run has ended. */
  stop(): Promise<void>;
};

/**
 * Repeats a run until it is stopped. Pauses between two runs; a wake ends the pause, and no wake is lost.
 *
 * @param options.run - Handles its own errors, and ends early when its signal aborts. @returns The milliseconds to
 *   pause.
 * @param options.firstPauseMs - The pause before the first run; 0 by default.
 * @param options.getSettleMs - The wait before a run after a wake, so that several wakes cause one run; none by
 *   default.
 */
export function createPoller(options: {
  clock: Pick<Clock, "sleep">;
  run: (signal: AbortSignal) => Promise<number>;
  firstPauseMs?: number;
  getSettleMs?: () => number;
}): Poller {
  const { clock, run, firstPauseMs = 0, getSettleMs = () => 0 } = options;
  const stopping = new AbortController();
  let isWoken = false;
  let endPause = () => {};

  const pause = async (milliseconds: number) => {
    if (isWoken || milliseconds <= 0) return;
    const ended = new AbortController();
    endPause = () => ended.abort();
    await clock.sleep(milliseconds, ended.signal).catch(() => undefined);
  };
  const settle = async () => {
    const milliseconds = isWoken ? getSettleMs() : 0;
    if (milliseconds > 0) await clock.sleep(milliseconds, stopping.signal).catch(() => undefined);
  };
  const loop = async () => {
    let pauseMs = firstPauseMs;
    while (!stopping.signal.aborted) {
      await pause(pauseMs);
      if (stopping.signal.aborted) return;
      await settle();
      if (stopping.signal.aborted) return;
      // Cleared before the run, because the run may miss the change that a wake during the run announces.
      isWoken = false;
      pauseMs = await run(stopping.signal);
    }
  };
  const finished = loop();

  return {
    wake: () => {
      isWoken = true;
      endPause();
    },
    stop: async () => {
      stopping.abort();
      endPause();
      await finished;
    },
  };
}
