import { setTimeout } from "node:timers/promises";
import { FeedError } from "./feedError.ts";

/** Runs a synchronous part of a reading. @throws FeedError `too_much_work` */
export type FeedWork = <T>(part: () => T) => Promise<T>;

/** Maximum CPU time of a reading, in milliseconds: twice the time of the largest feed with the longest fields. */
export const maxFeedCpuMs = 20_000;

/** CPU time after which a reading pauses, and the duration of the pause, in milliseconds: other work needs two thirds. */
const sliceMs = 10;
const pauseMs = 20;

/**
 * Creates the work of one reading of a feed, whose content determines its cost. The work pauses by CPU time, not by the
 * number of entries, so that requests do not wait, and it ends above the maximum. CPU time does not depend on the load
 * of the machine.
 *
 * @param options.maxCpuMs - Default: `maxFeedCpuMs`.
 * @param options.readCpuMs - Returns the CPU time of this thread in milliseconds.
 */
export function createFeedWork(options: {
  signal: AbortSignal;
  maxCpuMs?: number;
  readCpuMs?: () => number;
  pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}): FeedWork {
  const { signal, maxCpuMs = maxFeedCpuMs, readCpuMs = readThreadCpuMs, pause = sleep } = options;
  let [totalMs, unpausedMs] = [0, 0];
  return async (part) => {
    const start = readCpuMs();
    const result = part();
    const spentMs = readCpuMs() - start;
    totalMs += spentMs;
    unpausedMs += spentMs;
    if (totalMs > maxCpuMs) throw new FeedError("too_much_work");
    if (unpausedMs >= sliceMs) {
      unpausedMs = 0;
      await pause(pauseMs, signal);
    }
    return result;
  };
}

function readThreadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

const sleep = async (ms: number, signal: AbortSignal) => await setTimeout(ms, undefined, { signal });
