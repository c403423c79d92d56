import { z } from "zod";
import { candleInterval, indexedCandle, indexedTrade } from "./indexed.ts";
import { addressOut, amountOut, dateTime } from "./primitives.ts";

/** The first message of a stream: from which cursor on it tells everything. */
export const streamReady = z.object({ cursor: z.string() });

/** A new launch, as far as its event says; GET /tokens/{address} has the rest. */
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

/** A bucket as it stands after a trade; a later message of the same `t` replaces it. */
export const candleEvent = z.object({
  token: addressOut,
  interval: candleInterval,
  quote: z.enum(["usd", "eth"]),
  candle: indexedCandle,
});

/** Blocks were reorganised away: what was told of these is no longer so. `tokens` are all whose figures changed. */
export const retractedEvent = z.object({
  above_block: z.int(),
  trades: z.array(z.string()),
  launches: z.array(addressOut),
  tokens: z.array(addressOut),
});

/** Why messages were left out: the reader was too slow or away for too long, or the index was rebuilt. */
export const snapshotReason = z.enum(["slow_reader", "rebuilt"]);

/** Messages were left out: read what is shown over REST again, it is of this cursor or later. */
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
