import { getWindowPrice, type PricePoint, windowSeconds } from "../../pricing/getWindowPrice.ts";

/** The ETH/USD pool's price at the end of a block. */
type Observation = PricePoint & { block_number: number };

/** The part of the ETH/USD pool's history that prices the next trades. */
export type EthUsdPrices = {
  /** Adds the pool's price after a log. A later price of the same block replaces the price. */
  add(observation: Observation): void;
  /**
   * Returns the ETH/USD price of all trades and launches of a block; null when unknown. Depends only on the prices at
   * the ends of earlier blocks, so that no transaction in the block can change the price.
   */
  getPrice(blockNumber: number, blockTime: number): number | null;
  /** Returns a copy that later calls of `add` do not change. */
  copy(): EthUsdPrices;
};

/** @param stored - The observations from the start of the window on, one per block, oldest first. */
export function createEthUsdPrices(stored: readonly Observation[]): EthUsdPrices {
  const observations = stored.map(({ block_number, block_time, price }) => ({ block_number, block_time, price }));
  let priced: { blockNumber: number; price: number | null } | null = null;
  return {
    add: ({ block_number, block_time, price }) => {
      const last = observations.at(-1);
      // A price that another replaces in the same second has no weight, unless it is the first price.
      const hasNoWeight = last?.block_time === block_time && observations.length > 1;
      if (last?.block_number === block_number || hasNoWeight) observations.pop();
      observations.push({ block_number, block_time, price });
      const start = block_time - windowSeconds;
      // Keeps the last observation at or before the window's start.
      const first = observations.findLastIndex((observation) => observation.block_time <= start);
      if (first > 0) observations.splice(0, first);
    },
    getPrice: (blockNumber, blockTime) => {
      if (priced?.blockNumber === blockNumber) return priced.price;
      // An observation of the block itself has no weight in the window, unless it is the first observation of all.
      const isKnown = observations.length > 0 && observations[0]!.block_number < blockNumber;
      priced = { blockNumber, price: isKnown ? getWindowPrice(observations, blockTime) : null };
      return priced.price;
    },
    copy: () => createEthUsdPrices(observations),
  };
}
