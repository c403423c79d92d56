import { type LockedPosition, quoteSell } from "@slipway/protocol/lockedPosition";
import type { TokenTraders } from "@slipway/protocol/tokenFigures";
import type { FreshIndex } from "../../cache/indexStatus.ts";
import { toAsOf } from "../../cache/toAsOf.ts";
import { finiteOrNull, toChecksumAddress, toDollars, toIsoTime } from "../../pricing/format.ts";
import type { PoolStateRow, TraderRow, TradersRow } from "./traderQueries.ts";

type Trader = TokenTraders["items"][number];

/** The current ETH/USD price, null if unknown, and the state of the index. */
export type FigureContext = { ethUsd: number | null; index: Pick<FreshIndex, "finalBlock"> };

/** Returns the locked position of a token's pool. */
export function toLockedPosition(row: PoolStateRow): LockedPosition {
  return {
    liquidity: BigInt(row.locked_liquidity),
    tickLower: row.tick_lower,
    tickUpper: row.tick_upper,
    isToken0: row.is_token0,
  };
}

const toNative = (wei: bigint) => Number(wei) / 1e18;

/** The cost basis of an account, and what the pool pays for its tokens, in base units. */
type Valued = { row: TraderRow; held: bigint; cost: bigint; value: bigint };

function valueTrader(pool: PoolStateRow, position: LockedPosition, row: TraderRow): Valued {
  const held = BigInt(row.held);
  const value = quoteSell(position, BigInt(pool.sqrt_price_x96), held, pool.fee_bps);
  return { row, held, cost: BigInt(row.cost_quote), value };
}

function toTrader({ row, held, cost, value }: Valued, ethUsd: number | null): Trader {
  const costUsd = toDollars(row.cost_usd);
  const valueUsd = ethUsd === null ? null : finiteOrNull(toNative(value) * ethUsd);
  const perToken = (amount: number | null) =>
    held === 0n || amount === null ? null : finiteOrNull((amount / Number(held)) * 1e18);
  return {
    address: toChecksumAddress(row.address),
    last_trade_at: toIsoTime(row.last_time),
    amount: row.held,
    average_cost_eth: perToken(toNative(cost)),
    average_cost_usd: perToken(costUsd),
    realized_eth: toNative(BigInt(row.realized_quote)),
    realized_usd: toDollars(row.realized_usd),
    value_eth: toNative(value),
    value_usd: valueUsd,
    unrealized_eth: toNative(value - cost),
    unrealized_usd: valueUsd === null || costUsd === null ? null : valueUsd - costUsd,
  };
}

/** Converts a page in the order of realized profit. @param row - With one more trader than `limit` if others follow. */
export function toRealizedTraders(row: TradersRow, limit: number, { ethUsd, index }: FigureContext): TokenTraders {
  const position = toLockedPosition(row);
  const page = row.traders.slice(0, limit);
  const last = row.traders.length > limit ? page.at(-1)! : null;
  return {
    items: page.map((trader) => toTrader(valueTrader(row, position, trader), ethUsd)),
    next_cursor: last === null ? null : `${last.realized_quote}~${last.address}`,
    compared: null,
    complete: true,
    as_of: toAsOf({ block: row.changed_block, time: row.changed_time }, index),
  };
}

/**
 * Converts the traders with the largest amounts to the order of unrealized profit.
 *
 * The profit of an account is at most the value of its amount, and the value grows with the amount. So no account with a
 * smaller amount than the compared ones is before the last item, if the value of the smallest compared amount is not larger
 * than the last item's profit.
 *
 * @param compared - The number of traders that were requested.
 */
export function toUnrealizedTraders(
  row: TradersRow,
  { limit, compared }: { limit: number; compared: number },
  { ethUsd, index }: FigureContext,
): TokenTraders {
  const position = toLockedPosition(row);
  const valued = row.traders.map((trader) => valueTrader(row, position, trader));
  const profit = ({ value, cost }: Valued) => value - cost;
  // A stable sort: equal profits by the amount.
  const order = valued.toSorted((a, b) => (profit(a) < profit(b) ? 1 : profit(a) > profit(b) ? -1 : 0));
  const page = order.slice(0, limit);
  const smallest = valued.at(-1);
  const isAll = valued.length < compared;
  return {
    items: page.map((trader) => toTrader(trader, ethUsd)),
    next_cursor: null,
    compared: valued.length,
    complete: isAll || smallest!.value <= profit(page.at(-1)!),
    as_of: toAsOf({ block: row.changed_block, time: row.changed_time }, index),
  };
}
