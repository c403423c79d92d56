import { SlipwayError } from "@slipway/protocol/errors";
import { RequestQueue, type RequestQueueOptions } from "./requestQueue.ts";

/**
 * Runs the work of a key after all earlier work of the key.
 *
 * @throws SlipwayError `overloaded` when requests of the key arrive faster than they are served; what `work` throws.
 */
export type RunExclusive = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/**
 * Creates a mutex for each key, for transactions that lock the same row: they wait in memory, where waiting for the lock
 * would hold a connection each.
 */
export function createKeyedMutex(options: RequestQueueOptions): RunExclusive {
  /** For each key whose work is running, what waits for its end. */
  const queues = new Map<string, RequestQueue<() => void>>();
  return async (key, work) => {
    const queue = queues.get(key);
    if (queue === undefined) queues.set(key, new RequestQueue(options));
    else {
      if (queue.isOverloaded()) throw new SlipwayError("overloaded", "Too many requests wait for the same record.");
      await new Promise<void>((resolve) => queue.push(resolve));
    }
    try {
      return await work();
    } finally {
      const next = queues.get(key)?.shift();
      if (next === undefined) queues.delete(key);
      else next();
    }
  };
}
