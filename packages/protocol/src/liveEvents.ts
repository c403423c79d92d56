import { z } from "zod";
import { candleInterval, indexedCandle, indexedTrade } from "./indexed.ts";
import { addressOut, amountOut, dateTime } from "./primitives.ts";

/** The first message of a stream, which contains everything after this cursor. */
export const streamReady = z.object({ cursor: z.string() });

/** A new launch with the fields of its event; GET /tokens/{address} has the rest. */
export const launchEvent = z.object({
  address: addressOut,
  name: z.string(),
  symbol: z.string(),
  image_url: z.string().nullable(),
  pool: addressOut,
  quote_token: addressOut,
  creator: addressOut,
  splitter: addressOut,
  fee_bps: z.int(),
  price_eth: z.number(),
  initial_buy: z.object({ quote_amount: amountOut, token_amount: amountOut }).nullable(),
  launched_at: dateTime,
  block_number: z.int(),
  tx_hash: z.string(),
});

/** A trade of a token. */
export const tradeEvent = z.object({ token: addressOut, trade: indexedTrade });

/** A bucket after a trade; a later message with the same `t` replaces it. */
export const candleEvent = z.object({
  token: addressOut,
  interval: candleInterval,
  quote: z.enum(["usd", "eth"]),
  candle: indexedCandle,
});

/** A reorganisation removed blocks, and with them these trades and launches. `tokens`: all whose figures changed. */
export const retractedEvent = z.object({
  above_block: z.int(),
  trades: z.array(z.string()),
  launches: z.array(addressOut),
  tokens: z.array(addressOut),
});

/** Why messages were omitted: the reader was too slow or disconnected for too long, or the index was rebuilt. */
export const snapshotReason = z.enum(["slow_reader", "rebuilt"]);

/** Messages were omitted: a client reads its data over REST again, which then is of this cursor or later. */
export const snapshotEvent = z.object({ reason: snapshotReason, cursor: z.string() });

export type LaunchEvent = z.infer<typeof launchEvent>;
export type TradeEvent = z.infer<typeof tradeEvent>;
export type CandleEvent = z.infer<typeof candleEvent>;
export type RetractedEvent = z.infer<typeof retractedEvent>;
export type SnapshotEvent = z.infer<typeof snapshotEvent>;

export const streamQuery = z.object({
  token: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, "must be 0x followed by 40 hex digits")
    .optional(),
  interval: candleInterval.default("1m"),
});
