/** A closed hourly bar; `time` is the Unix seconds of its open. */
export type HourBar = { time: number; open: number; high: number; low: number; close: number };

export type Direction = "long" | "short";

/** The output of a strategy at the close of a bar. */
export type Reading = {
  /** Null without a signal, as at most bars. */
  direction: Direction | null;
  /** The values of the indicators that determine the direction. */
  indicators: Record<string, number>;
};

/**
 * A rule that signals long or short at the close of an hour. A strategy is a pure function of closed bars: it processes
 * them one after the other, and has no state outside of `start`.
 */
export type Strategy = {
  name: string;
  /** Changes whenever the same bars could give another signal; each version has separate records. */
  version: number;
  description: string;
  /** Number of bars before the first signal. */
  warmUp: number;
  /** Starts a series. @returns The function that processes the next bar; it returns null after too few bars. */
  start(): (bar: HourBar) => Reading | null;
};
