import { bucketStart } from "@slipway/protocol/candle";

type Sums = { bought: bigint; sold: bigint };

/** The amounts that accounts bought and sold in one period, a block or an interval of time, by token id. */
type Period = { start: number; sums: Map<number, Map<string, Sums>> };

/** The current block and the current interval of 300 seconds, for all tokens. */
export type RoundTrips = { block: Period; seconds300: Period };

/** Length of the interval in seconds; an interval starts at a multiple of it. */
export const roundTripSeconds = 300;

export function createRoundTrips(): RoundTrips {
  return { block: { start: -1, sums: new Map() }, seconds300: { start: -1, sums: new Map() } };
}

/**
 * Adds a trade to the current block and interval.
 *
 * @returns How much twice the smaller of the account's bought and sold tokens grew, in the block and in the interval.
 */
export function addToRoundTrips(
  { block, seconds300 }: RoundTrips,
  tokenId: number,
  at: { blockNumber: number; blockTime: number },
  trade: { account: string; isBuy: boolean; tokenAmount: bigint },
): { block: bigint; seconds300: bigint } {
  return {
    block: addToPeriod(block, at.blockNumber, tokenId, trade),
    seconds300: addToPeriod(seconds300, bucketStart(at.blockTime, roundTripSeconds), tokenId, trade),
  };
}

function addToPeriod(
  period: Period,
  start: number,
  tokenId: number,
  { account, isBuy, tokenAmount }: { account: string; isBuy: boolean; tokenAmount: bigint },
): bigint {
  if (period.start !== start) {
    period.start = start;
    period.sums = new Map();
  }
  let accounts = period.sums.get(tokenId);
  if (accounts === undefined) {
    accounts = new Map();
    period.sums.set(tokenId, accounts);
  }
  const before = accounts.get(account);
  if (before === undefined) {
    accounts.set(account, isBuy ? { bought: tokenAmount, sold: 0n } : { bought: 0n, sold: tokenAmount });
    return 0n;
  }
  const returned = getReturned(before);
  if (isBuy) before.bought += tokenAmount;
  else before.sold += tokenAmount;
  return getReturned(before) - returned;
}

const getReturned = ({ bought, sold }: Sums) => 2n * (bought < sold ? bought : sold);

/** Sets what an account bought and sold in the interval of a block time, after the index state was loaded. */
export function restoreRoundTrips(
  { seconds300 }: RoundTrips,
  tokenId: number,
  blockTime: number,
  account: string,
  sums: Sums,
): void {
  seconds300.start = bucketStart(blockTime, roundTripSeconds);
  const accounts = seconds300.sums.get(tokenId) ?? new Map<string, Sums>();
  seconds300.sums.set(tokenId, accounts.set(account, sums));
}
