import type { Timing } from "../../../apps/web/src/wallet/timing.ts";

/** Time that a test advances. */
export type VirtualTiming = Timing & {
  /** Advances the time, and runs everything that is due. */
  advance(milliseconds: number): Promise<void>;
};

/** Runs everything that is ready: resolved promises, in as many steps as the code chains. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 300; turn++) await Promise.resolve();
}

export function createVirtualTiming(): VirtualTiming {
  let time = 0;
  let waiting: { at: number; resolve: () => void }[] = [];
  return {
    now: () => time,
    wait: (milliseconds, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        waiting.push({ at: time + milliseconds, resolve });
        signal?.addEventListener("abort", () => resolve());
      }),
    advance: async (milliseconds) => {
      const end = time + milliseconds;
      await settle();
      for (;;) {
        const next = waiting.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        waiting = waiting.filter((one) => one !== next);
        time = Math.max(time, next.at);
        next.resolve();
        await settle();
      }
      time = end;
    },
  };
}
