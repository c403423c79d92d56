import { bucketStart } from "@slipway/protocol/candle";

type Amounts = { bought: bigint; sold: bigint };

const noAmounts: Readonly<Amounts> = { bought: 0n, sold: 0n };

/** The amounts of a token that an account bought and sold in the current interval, and in the block of its last trade. */
type Trader = Amounts & { block: number; inBlock: Amounts };

/** The traders of the current interval of 300 seconds, by token id and account. A block is in one interval. */
export type RoundTrips = { start: number; traders: Map<number, Map<string, Trader>> };

/** Length of the interval in seconds; an interval starts at a multiple of it. */
export const roundTripSeconds = 300;

export function createRoundTrips(): RoundTrips {
  return { start: -1, traders: new Map() };
}

/**
 * Adds a trade to the current block and interval.
 *
 * @returns How much twice the smaller of the account's bought and sold tokens grew, in the block and in the interval.
 */
export function addToRoundTrips(
  roundTrips: RoundTrips,
  tokenId: number,
  at: { blockNumber: number; blockTime: number },
  trade: { account: string; isBuy: boolean; tokenAmount: bigint },
): { block: bigint; seconds300: bigint } {
  const trader = openTrader(roundTrips, tokenId, at.blockTime, trade.account);
  if (trader.block !== at.blockNumber) {
    trader.block = at.blockNumber;
    trader.inBlock = { bought: 0n, sold: 0n };
  }
  return { block: addAmount(trader.inBlock, trade), seconds300: addAmount(trader, trade) };
}

function openTrader(roundTrips: RoundTrips, tokenId: number, blockTime: number, account: string): Trader {
  const start = bucketStart(blockTime, roundTripSeconds);
  if (roundTrips.start !== start) {
    roundTrips.start = start;
    roundTrips.traders = new Map();
  }
  let traders = roundTrips.traders.get(tokenId);
  if (traders === undefined) {
    traders = new Map();
    roundTrips.traders.set(tokenId, traders);
  }
  let trader = traders.get(account);
  if (trader === undefined) {
    trader = { bought: 0n, sold: 0n, block: -1, inBlock: noAmounts };
    traders.set(account, trader);
  }
  return trader;
}

/** @returns How much twice the smaller amount grew. */
function addAmount(amounts: Amounts, { isBuy, tokenAmount }: { isBuy: boolean; tokenAmount: bigint }): bigint {
  const returned = getReturned(amounts);
  if (isBuy) amounts.bought += tokenAmount;
  else amounts.sold += tokenAmount;
  return getReturned(amounts) - returned;
}

const getReturned = ({ bought, sold }: Amounts) => 2n * (bought < sold ? bought : sold);

/** Sets what an account bought and sold in the interval of a block time, after the index state was loaded. */
export function restoreRoundTrips(
  roundTrips: RoundTrips,
  tokenId: number,
  blockTime: number,
  account: string,
  amounts: Amounts,
): void {
  Object.assign(openTrader(roundTrips, tokenId, blockTime, account), amounts);
}
