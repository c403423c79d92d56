/** The only source of time. Injected, so that a simulation can step it. */
export type Clock = {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Resolves after `milliseconds`, or rejects with the signal's reason when it aborts first. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
};
