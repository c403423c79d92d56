/** A burst that takes longer is overload, which ends when for this long no request has waited for too long. */
const burstMs = 10_000;

export type RequestQueueOptions = {
  /** The time that the process has been running. */
  nowMs: () => number;
  /** Requests that may wait: this bounds their memory, and the wait of the last one of a burst. */
  maxLength: number;
  /** How long a request may wait in lasting overload, before further ones are refused. */
  maxWaitMs: number;
};

/** Requests that wait for the same thing, in the order of their arrival. */
export class RequestQueue<T> {
  readonly #options: RequestQueueOptions;
  #waiting: { request: T; sinceMs: number }[] = [];
  /** When a request first and last had waited for longer than `maxWaitMs`, without ten seconds between in which none had. */
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

  /** Removes the requests that have waited for this long. */
  takeOlder(ageMs: number): T[] {
    const bornMs = this.#options.nowMs() - ageMs;
    const first = this.#waiting.findIndex(({ sinceMs }) => sinceMs > bornMs);
    return this.#waiting.splice(0, first === -1 ? this.#waiting.length : first).map(({ request }) => request);
  }

  /**
   * Whether requests arrive faster than they are served, so that another one should be refused: too many wait, or a burst
   * has not ended in time and one has waited for more than `maxWaitMs`. While a burst drains, nothing is refused.
   */
  isOverloaded(): boolean {
    if (this.#waiting.length >= this.#options.maxLength) return true;
    return this.#noteLate() && this.#lateAtMs - this.#lateSinceMs >= burstMs;
  }

  /** Notes whether a request has waited for longer than `maxWaitMs` by now, and returns it. */
  #noteLate(): boolean {
    const { nowMs, maxWaitMs } = this.#options;
    const oldest = this.#waiting[0];
    if (oldest === undefined || nowMs() - oldest.sinceMs <= maxWaitMs) return false;
    if (nowMs() - this.#lateAtMs >= burstMs) this.#lateSinceMs = nowMs();
    this.#lateAtMs = nowMs();
    return true;
  }
}
