import type { Clock } from "../../clock.ts";

/** The beats of an interval are spread over so many moments, so that not all connections are busy at once. */
const parts = 15;

/** Calls each member's beat once in `everyMs`, members spread evenly. Runs while there are members. */
export function createHeartbeats(clock: Pick<Clock, "sleep">, everyMs: number) {
  const members = Array.from({ length: parts }, () => new Set<() => void>());
  let added = 0;
  let count = 0;
  let beating: AbortController | null = null;

  const run = async (signal: AbortSignal) => {
    for (let part = 0; !signal.aborted; part = (part + 1) % parts) {
      await clock.sleep(everyMs / parts, signal).catch(() => undefined);
      if (signal.aborted) return;
      for (const beat of [...members[part]!]) beat();
    }
  };

  return {
    /** @returns Ends it. */
    add(beat: () => void): () => void {
      const part = members[added++ % parts]!;
      part.add(beat);
      count++;
      if (beating === null) {
        beating = new AbortController();
        void run(beating.signal);
      }
      return () => {
        if (!part.delete(beat)) return;
        count--;
        if (count > 0) return;
        beating?.abort();
        beating = null;
      };
    },
  };
}
