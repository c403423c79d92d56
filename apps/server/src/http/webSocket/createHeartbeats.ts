import type { Clock } from "../../clock.ts";

/** The number of slots of an interval, so that not all connections are busy at the same time. */
const slots = 15;

/** Calls each member once in `intervalMs`, members spread evenly over the interval. It runs while there are members. */
export function createHeartbeats(clock: Pick<Clock, "sleep">, intervalMs: number) {
  const members = Array.from({ length: slots }, () => new Set<() => void>());
  let added = 0;
  let count = 0;
  let running: AbortController | null = null;

  const run = async (signal: AbortSignal) => {
    for (let slot = 0; !signal.aborted; slot = (slot + 1) % slots) {
      await clock.sleep(intervalMs / slots, signal).catch(() => undefined);
      if (signal.aborted) return;
      for (const beat of [...members[slot]!]) beat();
    }
  };

  return {
    /** @returns A function that removes the member. */
    add(beat: () => void): () => void {
      const slot = members[added++ % slots]!;
      slot.add(beat);
      count++;
      if (running === null) {
        running = new AbortController();
        void run(running.signal);
      }
      return () => {
        if (!slot.delete(beat)) return;
        count--;
        if (count > 0) return;
        running?.abort();
        running = null;
      };
    },
  };
}
