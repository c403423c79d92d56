/** A closed bar of an hour; `time` is the Unix seconds of its open. */
export type HourBar = { time: number; open: number; high: number; low: number; close: number };

export type Direction = "long" | "short";

/** What a strategy says at the close of a bar. */
export type Reading = {
  /** Null where it says nothing: most bars. */
  direction: Direction | null;
  /** The numbers that it decided by. */
  indicators: Record<string, number>;
};

/**
 * A rule that says long or short at the close of an hour. It is a pure function of closed bars: it sees them one after
 * the other, and keeps nothing outside of `start`.
 */
export type Strategy = {
  name: string;
  /** It changes whenever the same bars could give another signal: signals of two versions have separate records. */
  version: number;
  description: string;
  /** Bars that it must have seen before its first signal. */
  warmUp: number;
  /** Begins a series of bars. @returns Takes the next bar; null while it knows too little. */
  start(): (bar: HourBar) => Reading | null;
};
