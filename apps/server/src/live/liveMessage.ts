import { intervalSeconds } from "@slipway/protocol/candle";
import type { CandleInterval } from "@slipway/protocol/indexed";
import type { CandleEvent, LaunchEvent, RetractedEvent, TradeEvent } from "@slipway/protocol/liveEvents";
import { checksumOf, isoTime } from "../pricing/format.ts";
import type { OutboxRow } from "./queries.ts";
import { type CandleRow, toIndexedCandle, toIndexedTrade, type TradeRow } from "../pricing/tradesAndCandles.ts";

/** A message of the live streams. */
type Told =
  | { name: "launch"; data: LaunchEvent }
  | { name: "trade"; data: TradeEvent }
  | { name: "candle"; data: CandleEvent }
  | { name: "retracted"; data: RetractedEvent }
  | { name: "snapshot"; data: { reason: "rebuilt" } };

/**
 * What an outbox row tells. `tokens`: whom it concerns, lower case, null for everybody; `interval`: of a candle; `json`:
 * its data, worded once for all readers of all streams.
 */
export type LiveEvent = {
  name: Told["name"];
  tokens: readonly string[] | null;
  interval: CandleInterval | null;
  json: string;
};

/** What a reader wants to hear of. `tokens`: lower case, null for all; `names`: of events, null for all. */
export type LiveFilter = {
  tokens: ReadonlySet<string> | null;
  interval: CandleInterval;
  names: ReadonlySet<LiveEvent["name"]> | null;
};

const intervalOf: ReadonlyMap<number, CandleInterval> = new Map<number, CandleInterval>(
  Object.entries(intervalSeconds).map(([name, seconds]) => [seconds, name as CandleInterval]),
);

// A row goes to every reader: it is worded once.
const known = new WeakMap<OutboxRow, { event: LiveEvent | null }>();

/** What an outbox row tells the live streams; null for rows that are for caches only. */
export function toLiveEvent(row: OutboxRow): LiveEvent | null {
  let found = known.get(row);
  if (found === undefined) {
    found = { event: readRow(row) };
    known.set(row, found);
  }
  return found.event;
}

/** Whether a reader wants an event. Retractions and snapshots are heard by everybody whose tokens they concern. */
export function concerns(event: LiveEvent, { tokens, interval, names }: LiveFilter): boolean {
  if (event.tokens !== null && tokens !== null && !event.tokens.some((token) => tokens.has(token))) return false;
  if (event.name === "retracted" || event.name === "snapshot") return true;
  if (event.interval !== null && event.interval !== interval) return false;
  return names === null || names.has(event.name);
}

function readRow({ kind, token, payload: unread }: OutboxRow): LiveEvent | null {
  const payload = unread as never;
  const tokens = token === null ? [] : [token];
  switch (kind) {
    case "launch":
      return word({ name: "launch", data: toLaunch(payload) }, tokens);
    case "trade": {
      const data = { token: checksumOf(token!), trade: toIndexedTrade(payload as TradeRow) };
      return word({ name: "trade", data }, tokens);
    }
    case "candle": {
      const candle = toCandle(token!, payload);
      return candle === null ? null : word({ name: "candle", data: candle }, tokens, candle.interval);
    }
    case "retracted": {
      const { tokens: touched, data } = toRetracted(payload);
      return word({ name: "retracted", data }, touched);
    }
    case "batch":
      return word({ name: "snapshot", data: { reason: "rebuilt" } }, null);
    default:
      return null;
  }
}

function word(
  { name, data }: Told,
  tokens: readonly string[] | null,
  interval: CandleInterval | null = null,
): LiveEvent {
  return { name, tokens, interval, json: JSON.stringify(data) };
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
