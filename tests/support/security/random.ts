/** A seeded random source (mulberry32), so that a failing run can be repeated with its seed. */
export type Random = {
  seed: number;
  /** Returns an integer from 0 to below `bound`. */
  below(bound: number): number;
  pick<T>(items: readonly T[]): T;
  /** Returns a number between two positive amounts, evenly distributed over the orders of magnitude. */
  amount(smallest: bigint, largest: bigint): bigint;
  hex(bytes: number): `0x${string}`;
};

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number) => Math.floor(next() * bound);
  return {
    seed,
    below,
    pick: (items) => items[below(items.length)]!,
    amount: (smallest, largest) => {
      const low = Math.log(Number(smallest));
      const high = Math.log(Number(largest));
      const found = BigInt(Math.floor(Math.exp(low + next() * (high - low))));
      return found < smallest ? smallest : found > largest ? largest : found;
    },
    hex: (bytes) => `0x${Array.from({ length: bytes }, () => below(256).toString(16).padStart(2, "0")).join("")}`,
  };
}

/** Returns shares of 1 to 20 recipients that sum to 10000. */
export function randomShares(random: Random): number[] {
  const count = 1 + random.below(20);
  const shares = Array.from({ length: count }, () => 1);
  for (let left = 10_000 - count; left > 0; ) {
    const part = Math.min(left, 1 + random.below(Math.max(1, Math.ceil(left / 2))));
    shares[random.below(count)]! += part;
    left -= part;
  }
  return shares;
}
