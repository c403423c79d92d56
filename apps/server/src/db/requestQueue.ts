import { SlipwayError } from "@slipway/protocol/errors";

/** A longer burst is overload. Overload ends after the same time without a request that has waited too long. */
const burstMs = 10_000;

export type RequestQueueOptions = {
  /** See `RunningTime`. */
  nowMs: () => number;
  /** Maximum number of waiting requests, which limits their memory and the wait of the last request of a burst. */
  maxLength: number;
  /** How long a request may wait in lasting overload before further requests are refused. */
  maxWaitMs: number;
};

/** A queue of requests in the order of their arrival. */
export class RequestQueue<T> {
  readonly #options: RequestQueueOptions;
  #waiting: { request: T; sinceMs: number }[] = [];
  /** First and last time with a request that had waited longer than `maxWaitMs`, with gaps shorter than `burstMs`. */
  #lateSinceMs = 0;
  #lateAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: RequestQueueOptions) {
    this.#options = options;
  }

  push(request: T): void {
    this.#waiting.push({ request, sinceMs: this.#options.nowMs() });
  }

  shift(): T | undefined {
    this.#noteLate();
    return this.#waiting.shift()?.request;
  }

  /** Removes the requests that have waited for at least this time. */
  takeOlder(ageMs: number): T[] {
    const enqueuedBeforeMs = this.#options.nowMs() - ageMs;
    const first = this.#waiting.findIndex(({ sinceMs }) => sinceMs > enqueuedBeforeMs);
    return this.#waiting.splice(0, first === -1 ? this.#waiting.length : first).map(({ request }) => request);
  }

  /**
   * Whether requests arrive faster than they are served, so that a new request should be refused: too many requests
   * wait, or a burst has lasted too long and a request has waited longer than `maxWaitMs`. A burst that drains causes
   * no refusal.
   */
  isOverloaded(): boolean {
    if (this.#waiting.length >= this.#options.maxLength) return true;
    return this.#noteLate() && this.#lateAtMs - this.#lateSinceMs >= burstMs;
  }

  /** Records and returns whether a request has now waited longer than `maxWaitMs`. */
  #noteLate(): boolean {
    const { nowMs, maxWaitMs } = this.#options;
    const oldest = this.#waiting[0];
    if (oldest === undefined || nowMs() - oldest.sinceMs <= maxWaitMs) return false;
    if (nowMs() - this.#lateAtMs >= burstMs) this.#lateSinceMs = nowMs();
    this.#lateAtMs = nowMs();
    return true;
  }
}

/**
 * Runs the work of a key after all earlier work of the key.
 *
 * @throws SlipwayError `overloaded` when requests of the key arrive faster than they are served; the errors of `work`.
 */
export type RunExclusive = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/**
 * Creates a keyed mutex for transactions that lock the same row. They wait in memory, because a transaction that waits
 * for a row lock occupies a connection.
 */
export function createKeyedMutex(options: RequestQueueOptions): RunExclusive {
  /** The waiting work of each key whose work is running. */
  const queues = new Map<string, RequestQueue<() => void>>();
  return async (key, work) => {
    const queue = queues.get(key);
    if (queue === undefined) queues.set(key, new RequestQueue(options));
    else {
      if (queue.isOverloaded())
        throw new SlipwayError("overloaded", "Too many requests are waiting for the same record.");
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

/** The interval in which the running time advances. */
const tickMs = 100;

/**
 * The running time of this process: each tick of a timer counts 100 ms, or the CPU time of this thread since the last
 * tick if that is more. Time in which the machine was suspended or ran other programs does not count, because the load
 * of this process does not cause it.
 */
export type RunningTime = { nowMs(): number; stop(): void };

/** Starts to measure the running time. @param onTick - Called after each tick with its length. */
export function startRunningTime(onTick: (tickMs: number) => void): RunningTime {
  let nowMs = 0;
  let cpu = process.threadCpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(cpu);
    cpu = process.threadCpuUsage();
    nowMs += Math.max(tickMs, (user + system) / 1_000);
    onTick(tickMs);
  }, tickMs).unref();
  return { nowMs: () => nowMs, stop: () => clearInterval(timer) };
}
