import { intervalSeconds } from "@slipway/protocol/candle";
import type { CandleInterval } from "@slipway/protocol/indexed";
import type { CandleEvent, LaunchEvent, RetractedEvent, TradeEvent } from "@slipway/protocol/liveEvents";
import { checksumOf } from "../../readModel/checksumOf.ts";
import { isoTime } from "../../readModel/isoTime.ts";
import type { OutboxRow } from "../../readModel/queries.ts";
import { type CandleRow, toIndexedCandle } from "../../readModel/toIndexedCandle.ts";
import { type TradeRow, toIndexedTrade } from "../../readModel/toIndexedTrade.ts";

/** A message of the stream. `tokens`: whom it concerns, lower case; `interval`: of a candle. */
export type LiveEvent = {
  name: "launch" | "trade" | "candle" | "retracted" | "rebuilt";
  tokens: readonly string[];
  interval: CandleInterval | null;
  data: LaunchEvent | TradeEvent | CandleEvent | RetractedEvent | null;
};

const intervalOf: ReadonlyMap<number, CandleInterval> = new Map<number, CandleInterval>(
  Object.entries(intervalSeconds).map(([name, seconds]) => [seconds, name as CandleInterval]),
);

/** What an outbox row tells a stream; null for rows that are for caches only. */
export function toLiveEvent(row: OutboxRow): LiveEvent | null {
  const { token } = row;
  const payload = row.payload as never;
  const about = { tokens: token === null ? [] : [token], interval: null };
  switch (row.kind) {
    case "launch":
      return { ...about, name: "launch", data: toLaunch(payload) };
    case "trade":
      return {
        ...about,
        name: "trade",
        data: { token: checksumOf(token!), trade: toIndexedTrade(payload as TradeRow) },
      };
    case "candle": {
      const candle = toCandle(token!, payload);
      return candle === null ? null : { ...about, name: "candle", interval: candle.interval, data: candle };
    }
    case "retracted":
      return { ...about, name: "retracted", ...toRetracted(payload) };
    case "batch":
      return { ...about, name: "rebuilt", data: null };
    default:
      return null;
  }
}

type LaunchPayload = {
  address: string;
  name: string;
  symbol: string;
  image: string | null;
  pool: string;
  quote_token: string;
  creator: string;
  splitter: string;
  fee_bps: number;
  start_price: number;
  initial_buy_in: string | number | null;
  initial_buy_out: string | number | null;
  block_time: number;
  block_number: number;
  tx_hash: string;
};

function toLaunch(launch: LaunchPayload): LaunchEvent {
  const [paid, got] = [launch.initial_buy_in, launch.initial_buy_out];
  return {
    address: checksumOf(launch.address),
    name: launch.name,
    symbol: launch.symbol,
    image_url: launch.image,
    pool: checksumOf(launch.pool),
    quote_token: checksumOf(launch.quote_token),
    creator: checksumOf(launch.creator),
    splitter: checksumOf(launch.splitter),
    fee_bps: launch.fee_bps,
    price_eth: launch.start_price,
    initial_buy: paid === null || got === null ? null : { quote_amount: String(paid), token_amount: String(got) },
    launched_at: isoTime(launch.block_time),
    block_number: launch.block_number,
    tx_hash: launch.tx_hash,
  };
}

/** In USD where the bucket's worth is known, otherwise in wrapped native; `quote` says which. */
function toCandle(token: string, row: CandleRow & { seconds: number }): CandleEvent | null {
  const interval = intervalOf.get(row.seconds);
  if (interval === undefined) return null;
  for (const quote of ["usd", "eth"] as const) {
    const candle = toIndexedCandle(row, quote);
    if (candle !== null) return { token: checksumOf(token), interval, quote, candle };
  }
  return null;
}

type RetractedPayload = { above_block: number; trades: string[]; launches: string[]; tokens: string[] };

function toRetracted(row: RetractedPayload): { tokens: readonly string[]; data: RetractedEvent } {
  const tokens = [...new Set([...row.tokens, ...row.launches])];
  return {
    tokens,
    data: {
      above_block: row.above_block,
      trades: row.trades,
      launches: row.launches.map(checksumOf),
      tokens: tokens.map(checksumOf),
    },
  };
}
