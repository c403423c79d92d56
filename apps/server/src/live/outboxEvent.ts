import { z } from "zod";
import { candleRow } from "../pricing/toIndexedCandle.ts";
import { tradeRow } from "../pricing/toIndexedTrade.ts";
import { signalRow } from "./toSignal.ts";

/**
 * The version of the payloads below. A writer with incompatible payloads stores its version as `schema_version` in each
 * payload. A payload without `schema_version` has version 1.
 */
export const outboxSchemaVersion = 1;

const schema_version = z.literal(outboxSchemaVersion).optional();

/** A token's row of chain.tokens without its salt, search text and contract URI; amounts as decimal text. */
const launchPayload = z.object({
  schema_version,
  id: z.number(),
  address: z.string(),
  pool: z.string(),
  deployment_id: z.number(),
  is_token0: z.boolean(),
  name: z.string(),
  symbol: z.string(),
  description: z.string().nullable(),
  image: z.string().nullable(),
  website: z.string().nullable(),
  creator: z.string(),
  splitter: z.string(),
  partner: z.string().nullable(),
  partner_share_bps: z.number(),
  fee_bps: z.number(),
  protocol_fee_bps: z.number(),
  quote_token: z.string(),
  tick_start: z.number(),
  tick_lower: z.number(),
  tick_upper: z.number(),
  locked_liquidity: z.string(),
  start_price: z.number(),
  start_eth_usd: z.number().nullable(),
  initial_buy_in: z.string().nullable(),
  initial_buy_out: z.string().nullable(),
  initial_buy_recipient: z.string().nullable(),
  block_number: z.number(),
  block_time: z.number(),
  log_index: z.number(),
  tx_hash: z.string(),
});
export type LaunchPayload = z.infer<typeof launchPayload>;

const tradePayload = tradeRow.extend({
  schema_version,
  address: z.string(),
  token_id: z.number(),
  pool_price: z.number(),
});

/** A row of chain.candles. */
const storedCandle = candleRow.extend({ token_id: z.number(), seconds: z.number() });
export type StoredCandle = z.infer<typeof storedCandle>;

const candlePayload = storedCandle.extend({ schema_version, address: z.string() });
export type CandlePayload = z.infer<typeof candlePayload>;

/** Blocks above `above_block` left the chain. `trades`: "tx_hash:log_index"; `tokens`: all affected tokens. */
const retractedPayload = z.object({
  schema_version,
  above_block: z.number(),
  trades: z.array(z.string()),
  launches: z.array(z.string()),
  tokens: z.array(z.string()),
});
export type RetractedPayload = z.infer<typeof retractedPayload>;

const signalPayload = signalRow.extend({ schema_version });

/** `token` and all addresses are in lower case; times are Unix seconds. */
const outboxEvent = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("launch"), token: z.string(), payload: launchPayload }),
  z.object({ kind: z.literal("trade"), token: z.string(), payload: tradePayload }),
  z.object({ kind: z.literal("candle"), token: z.string(), payload: candlePayload }),
  // A trigger of app.signals writes it, not the indexer. `token` is null for a market that is not a launch's pool.
  z.object({ kind: z.literal("signal"), token: z.string().nullable(), payload: signalPayload }),
  // Tokens whose values changed without a trade.
  z.object({
    kind: z.literal("state"),
    token: z.null(),
    payload: z.object({ schema_version, tokens: z.array(z.string()) }),
  }),
  z.object({ kind: z.literal("retracted"), token: z.null(), payload: retractedPayload }),
  z.object({
    kind: z.literal("eth_usd"),
    token: z.null(),
    payload: z.object({ schema_version, price: z.number(), block_number: z.number(), block_time: z.number() }),
  }),
  // A step of the backfill: all data may have changed.
  z.object({
    kind: z.literal("batch"),
    token: z.null(),
    payload: z.object({ schema_version, from_block: z.number(), to_block: z.number() }),
  }),
]);

/** The columns `kind`, `token` and `payload` of chain.outbox, written in the transaction of the described rows. */
export type OutboxEvent = z.infer<typeof outboxEvent>;

/** A malformed event, or an event of an unknown kind or version: all data may have changed. */
type UnknownEvent = { kind: "unknown" };

const unknownEvent: UnknownEvent = { kind: "unknown" };

/** Columns of chain.outbox as the database returns them. */
export type OutboxColumns = { kind: string; token: string | null; payload: unknown };

export function parseOutboxEvent({ kind, token, payload }: OutboxColumns): OutboxEvent | UnknownEvent {
  return outboxEvent.safeParse({ kind, token, payload }).data ?? unknownEvent;
}

const outboxChange = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal(["launch", "trade", "candle"]),
    schema_version: z.literal(outboxSchemaVersion).nullable(),
    token: z.string(),
  }),
  z.object({
    kind: z.literal(["state", "retracted"]),
    schema_version: z.literal(outboxSchemaVersion).nullable(),
    tokens: z.array(z.string()),
  }),
  z.object({
    kind: z.literal(["eth_usd", "batch", "signal"]),
    schema_version: z.literal(outboxSchemaVersion).nullable(),
  }),
]);

/** The part of an event that caches need: kind and changed tokens, without the payload. */
export type OutboxChange = z.infer<typeof outboxChange> | UnknownEvent;

/** Columns of a query of chain.outbox, with the payload's version and (for `state` and `retracted`) tokens. */
export type OutboxChangeColumns = {
  kind: string;
  schema_version: unknown;
  token: string | null;
  tokens: string[] | null;
};

export function parseOutboxChange(columns: OutboxChangeColumns): OutboxChange {
  return outboxChange.safeParse(columns).data ?? unknownEvent;
}
