/** A seeded random source (mulberry32): the same seed gives the same run. */
export type Random = {
  /** The number of draws: two runs with the same number took the same path. */
  draws(): number;
  /** Returns a number in [0, 1). */
  next(): number;
  /** Returns an integer in [low, high]. */
  integer(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(values: readonly T[]): T;
  hex(bytes: number): string;
};

export function createRandom(seed: number): Random {
  let state = seed | 0;
  let draws = 0;
  const next = () => {
    draws++;
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  return {
    draws: () => draws,
    next,
    integer,
    chance: (probability) => next() < probability,
    pick: (values) => values[integer(0, values.length - 1)]!,
    hex: (bytes) => {
      let text = "0x";
      for (let i = 0; i < bytes; i++) text += integer(0, 255).toString(16).padStart(2, "0");
      return text;
    },
  };
}
