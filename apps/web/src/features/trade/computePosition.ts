import type { IndexedTrade } from "@slipway/protocol/indexed";

/** The position of an account in a token from its trades, by moving average cost. Transfers do not count. */
export type Position = {
  /** Bought and not sold, in base units. */
  amount: bigint;
  /** The cost of `amount`, in wei and in USD; USD is null if the value of a trade is unknown. */
  cost: bigint;
  costUsd: number | null;
  /** Proceeds of the sells minus the average cost of the sold tokens. */
  realized: bigint;
  realizedUsd: number | null;
};

/**
 * Computes the position of an account from all its trades of a token.
 *
 * @param trades - Newest first, as the API lists them.
 */
export function computePosition(
  trades: readonly Pick<IndexedTrade, "side" | "token_amount" | "quote_amount" | "volume_usd">[],
): Position {
  let position: Position = { amount: 0n, cost: 0n, costUsd: 0, realized: 0n, realizedUsd: 0 };
  for (const { side, token_amount, quote_amount, volume_usd: usd } of trades.toReversed()) {
    const [tokens, quote] = [BigInt(token_amount), BigInt(quote_amount)];
    position = side === "buy" ? addBuy(position, tokens, quote, usd) : addSell(position, tokens, quote, usd);
  }
  return position;
}

const add = (a: number | null, b: number | null) => (a === null || b === null ? null : a + b);

function addBuy(position: Position, tokens: bigint, quote: bigint, usd: number | null): Position {
  const { amount, cost, costUsd } = position;
  return { ...position, amount: amount + tokens, cost: cost + quote, costUsd: add(costUsd, usd) };
}

/** Tokens beyond the bought ones came from a transfer: their cost is unknown and counts as zero. */
function addSell(position: Position, tokens: bigint, quote: bigint, usd: number | null): Position {
  const { amount, cost, costUsd, realized, realizedUsd } = position;
  const sold = tokens < amount ? tokens : amount;
  const soldCost = amount === 0n ? 0n : (cost * sold) / amount;
  const share = amount === 0n ? 0 : Number(sold) / Number(amount);
  const soldUsd = costUsd === null ? null : costUsd * share;
  return {
    amount: amount - sold,
    cost: cost - soldCost,
    costUsd: soldUsd === null || costUsd === null ? null : costUsd - soldUsd,
    realized: realized + quote - soldCost,
    realizedUsd: add(realizedUsd, add(usd, soldUsd === null ? null : -soldUsd)),
  };
}

/**
 * Adds the account's trades that the stream has brought and the read list lacks. Otherwise a new balance would be compared
 * with the cost before it, until the list is read again.
 *
 * @param read - All trades of the account that were read, newest first.
 * @param latest - The latest trades of the token by any account, newest first.
 */
export function addNewestTrades<Trade extends Pick<IndexedTrade, "id" | "account">>(
  read: readonly Trade[],
  latest: readonly Trade[],
  wallet: string,
): readonly Trade[] {
  const known = new Set(read.map(({ id }) => id));
  const isNew = ({ id, account }: Trade) => account.toLowerCase() === wallet.toLowerCase() && !known.has(id);
  return [...latest.filter(isNew), ...read];
}
