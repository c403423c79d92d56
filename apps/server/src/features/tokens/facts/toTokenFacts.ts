import {
  type Fact,
  type FactId,
  type FactUnit,
  type FactWindow,
  type LaunchWindowId,
  launchWindowIds,
  type TokenFacts,
  type TokenFactsSummary,
} from "@slipway/protocol/facts";
import { finiteOrNull, toChecksumAddress, toIsoTime } from "../../../pricing/format.ts";
import { computeLiquidityValue, computePercentLocked } from "../positionValue.ts";
import type { CreatorSums, EarlierLaunchRow, FactSummaryRow, FactsRow } from "./factQueries.ts";

/** The columns of chain.first_buys by window. */
const windowColumns = {
  launch_transaction: "tx",
  launch_block: "block",
  first_3_blocks: "3_blocks",
  first_10_blocks: "10_blocks",
  first_60_seconds: "60s",
} as const satisfies Record<LaunchWindowId, string>;

const activeSeconds = 7 * 86_400;

/** Returns a part in percent of a whole; null if one is unknown or the whole is zero. */
function toPercent(part: bigint | null, whole: string | null): number | null {
  return part === null || whole === null ? null : finiteOrNull((Number(part) / Number(whole)) * 100);
}

const toAmount = (text: string | null) => (text === null ? null : BigInt(text));

/** Subtracts two amounts; null if one is unknown. */
function subtract(a: string | null, b: string | null): bigint | null {
  return a === null || b === null ? null : BigInt(a) - BigInt(b);
}

const getBalance = (row: CreatorSums) => subtract(row.creator_received, row.creator_sent);

/** Returns the tokens that left the creator without a sale; zero if it sold more, by transfers of other accounts. */
function getTransferredOut(row: CreatorSums): bigint | null {
  const amount = subtract(row.creator_sent, row.creator_sold);
  return amount !== null && amount < 0n ? 0n : amount;
}

/** Returns a sum of the first buys: zero for a token without first buys, null for a token of an index without facts. */
function getFirstBuys(row: FactSummaryRow, column: string): bigint | null {
  return row.traded === null ? null : BigInt(row.first_buys?.[column] ?? 0);
}

const toCount = (count: bigint | null) => (count === null ? null : Number(count));

/** Converts the short form of a token's facts to the wire format. */
export function toFactsSummary(row: FactSummaryRow): TokenFactsSummary {
  const ofSupply = (amount: bigint | null) => toPercent(amount, row.total_supply);
  return {
    creator_share_pct: ofSupply(getBalance(row)),
    creator_sold_pct: ofSupply(toAmount(row.creator_sold)),
    creator_transferred_out_pct: ofSupply(getTransferredOut(row)),
    launch_block_bought_pct: ofSupply(getFirstBuys(row, "bought_block")),
    launch_block_buyers: toCount(getFirstBuys(row, "buyers_block")),
    launch_block_held_pct: ofSupply(getFirstBuys(row, "held_block")),
    holders_without_buy: row.holders_without_buy,
    round_trips_300s_pct: toPercent(toAmount(row.round_trips_300s), row.traded),
    earlier_launches: row.creator_launches,
  };
}

/** Converts a token's facts to the wire format. @param ethUsd - Null when unknown or unreliable. */
export function toTokenFacts(row: FactsRow, ethUsd: number | null): TokenFacts {
  const facts = createFacts(row).map(({ id, ...rest }) => ({ id, formula: `${id}/1`, ...rest }));
  return {
    address: toChecksumAddress(row.address),
    creator: toChecksumAddress(row.creator),
    facts: facts.map((fact) => ({ ...fact, as_of_block: row.index_block })),
    earlier_launches: row.earlier.map((launch) => toEarlierLaunch(launch, row.index_time, ethUsd)),
    as_of: { block_number: row.index_block, timestamp: toIsoTime(row.index_time) },
  };
}

type Value = Omit<Fact, "formula" | "as_of_block">;

function createFacts(row: FactsRow): Value[] {
  const windows = createWindows(row);
  const ofSupply = (id: FactId, amount: bigint | null, window: FactWindow): Value => {
    const value = toPercent(amount, row.total_supply);
    return { id, value, unit: "percent_of_supply", amount: amount?.toString() ?? null, window };
  };
  const ofVolume = (id: FactId, amount: bigint | null): Value => {
    const value = toPercent(amount, row.traded);
    return { id, value, unit: "percent_of_volume", amount: amount?.toString() ?? null, window: windows.sinceLaunch };
  };
  const plain = (id: FactId, value: number | null, unit: FactUnit, window: FactWindow): Value => {
    return { id, value, unit, amount: null, window };
  };
  return [
    ofSupply("creator_share", getBalance(row), windows.now),
    ofSupply("creator_bought", toAmount(row.creator_bought), windows.sinceLaunch),
    ofSupply("creator_sold", toAmount(row.creator_sold), windows.sinceLaunch),
    ofSupply("creator_transferred_out", getTransferredOut(row), windows.sinceLaunch),
    ...launchWindowIds.flatMap((id) => {
      const column = windowColumns[id];
      const window = windows[id];
      return [
        ofSupply(`${id}_bought`, getFirstBuys(row, `bought_${column}`), window),
        plain(`${id}_buyers`, toCount(getFirstBuys(row, `buyers_${column}`)), "accounts", window),
        // The buys are those of the window; the balances are current.
        ofSupply(`${id}_held`, getFirstBuys(row, `held_${column}`), { ...window, complete: false }),
      ];
    }),
    toFunded(row, windows.sinceLaunch),
    ofSupply("top_10_share", BigInt(row.top10), windows.now),
    plain("holders_without_buy", row.holders_without_buy, "accounts", windows.now),
    ofVolume("round_trips_block", toAmount(row.round_trips_block)),
    ofVolume("round_trips_300_seconds", toAmount(row.round_trips_300s)),
    plain("earlier_launches", row.creator_launches, "launches", {
      kind: "blocks",
      from_block: row.index_from,
      to_block: row.block_number,
      to_time: null,
      complete: true,
    }),
    // The manifest pins the token's code: it has no owner and none of the functions that docs/api.md lists.
    plain("privileged_functions", 0, "functions", windows.fixed),
    plain("liquidity_locked", computePercentLocked(row), "percent_of_liquidity", windows.now),
    plain("fee_total", row.fee_bps / 100, "percent_of_trade", windows.fixed),
    plain("fee_protocol", row.protocol_fee_bps / 100, "percent_of_trade", windows.fixed),
  ];
}

/** First buyers that the creator gave tokens: null if none is known, because other funding is not indexed. */
function toFunded({ funded }: FactsRow, window: FactWindow): Value {
  const isKnown = funded.buyers > 0;
  return {
    id: "first_buyers_funded_by_creator",
    value: isKnown ? funded.buyers : null,
    unit: "accounts",
    amount: isKnown ? funded.bought : null,
    window,
  };
}

function createWindows(row: FactsRow) {
  const { index_block: now, block_number: launch } = row;
  const toBlocks = (kind: FactWindow["kind"], count: number): FactWindow => {
    const to = launch + count - 1;
    return { kind, from_block: launch, to_block: to, to_time: null, complete: now >= to };
  };
  const endTime = row.block_time + 60;
  return {
    now: { kind: "now", from_block: now, to_block: now, to_time: null, complete: false },
    sinceLaunch: { kind: "since_launch", from_block: launch, to_block: now, to_time: null, complete: false },
    fixed: { kind: "fixed", from_block: launch, to_block: now, to_time: null, complete: true },
    launch_transaction: toBlocks("launch_transaction", 1),
    launch_block: toBlocks("blocks", 1),
    first_3_blocks: toBlocks("blocks", 3),
    first_10_blocks: toBlocks("blocks", 10),
    first_60_seconds: {
      kind: "seconds",
      from_block: launch,
      to_block: null,
      to_time: toIsoTime(endTime),
      complete: row.index_time >= endTime,
    },
  } satisfies Record<string, FactWindow>;
}

function toEarlierLaunch(
  row: EarlierLaunchRow,
  now: number,
  ethUsd: number | null,
): TokenFacts["earlier_launches"][number] {
  const liquidityEth = finiteOrNull(computeLiquidityValue(row));
  const { last_trade_time: lastTrade } = row;
  return {
    address: toChecksumAddress(row.address),
    name: row.blocked ? null : row.name,
    symbol: row.blocked ? null : row.symbol,
    launched_at: toIsoTime(row.block_time),
    block_number: row.block_number,
    trades: row.trades,
    last_trade_at: lastTrade === null ? null : toIsoTime(lastTrade),
    traded_in_7_days: lastTrade !== null && lastTrade > now - activeSeconds,
    liquidity_eth: liquidityEth,
    liquidity_usd: liquidityEth === null || ethUsd === null ? null : finiteOrNull(liquidityEth * ethUsd),
    creator_share_pct: toPercent(getBalance(row), row.total_supply),
    creator_sold_pct: toPercent(toAmount(row.creator_sold), row.total_supply),
  };
}
