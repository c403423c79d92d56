const totalShares = 10_000n;

/** What a splitter has of one asset, in base units. */
export type SplitterHolding = {
  balance: bigint;
  /** Paid to all payees so far. */
  totalReleased: bigint;
};

/**
 * What a payee of a FeeSplitter can claim now: its share of everything ever received, less what it was paid; zero when
 * it was paid more (FeeSplitter._claimable, to the wei).
 */
export function claimableOf(holding: SplitterHolding, shareBps: number, released: bigint): bigint {
  const entitled = ((holding.balance + holding.totalReleased) * BigInt(shareBps)) / totalShares;
  return entitled > released ? entitled - released : 0n;
}

/** How much more a payee could claim once `credit` has arrived at the splitter. */
export function creditedOf(holding: SplitterHolding, shareBps: number, released: bigint, credit: bigint): bigint {
  const after = { ...holding, balance: holding.balance + credit };
  return claimableOf(after, shareBps, released) - claimableOf(holding, shareBps, released);
}
