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
  /** Keys of `fees` events, as `toFeesKey` makes them. */
  fees: z.array(z.string()).optional(),
  /** Openings that were created or changed in these blocks. */
  openings: z.array(z.string()).optional(),
});
export type RetractedPayload = z.infer<typeof retractedPayload>;

/** An amount in base units that a settlement paid to a splitter; `tx_hash` and `log_index` are of the last of its events. */
const feesPayload = z.object({
  schema_version,
  splitter: z.string(),
  asset: z.string(),
  amount: z.string(),
  block_number: z.number(),
  log_index: z.number(),
  tx_hash: z.string(),
});
export type FeesPayload = z.infer<typeof feesPayload>;

/** The key of a `fees` event, by which a retraction names it. */
export const toFeesKey = (at: { block_number: number; log_index: number }): string =>
  `fees:${at.block_number}:${at.log_index}`;

/** A change of an opening; amounts in base units as decimal text. */
const openingPayload = z.object({
  schema_version,
  opening: z.string(),
  token: z.string().nullable(),
  kind: z.enum(["created", "deposited", "opened", "closed", "claimed"]),
  account: z.string().nullable(),
  native_amount: z.string().nullable(),
  token_amount: z.string().nullable(),
  total: z.string().nullable(),
  block_number: z.number(),
  log_index: z.number(),
  tx_hash: z.string(),
});
export type OpeningPayload = z.infer<typeof openingPayload>;

/** A risk snapshot of a market, as it was stored. */
const riskPayload = z.object({
  schema_version,
  pair: z.string(),
  computed_at: z.number(),
  data_through: z.number(),
  price: z.number(),
  var_95: z.number().nullable(),
  var_99: z.number().nullable(),
  es_95: z.number().nullable(),
  es_99: z.number().nullable(),
  volatility_daily: z.number().nullable(),
  percentile_1y: z.number().nullable(),
  regime: z.string().nullable(),
  risk_score: z.number().nullable(),
});
export type RiskPayload = z.infer<typeof riskPayload>;

const signalPayload = signalRow.extend({ schema_version });

/** `token` and all addresses are in lower case; times are Unix seconds. */
const outboxEvent = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("launch"), token: z.string(), payload: launchPayload }),
  z.object({ kind: z.literal("trade"), token: z.string(), payload: tradePayload }),
  z.object({ kind: z.literal("candle"), token: z.string(), payload: candlePayload }),
  // A trigger of app.signals writes it, not the indexer. `token` is null for a market that is not a launch's pool.
  z.object({ kind: z.literal("signal"), token: z.string().nullable(), payload: signalPayload }),
  // Only webhooks and alerts read the next two. `token`: the launch that earned the fees; null if unknown.
  z.object({ kind: z.literal("fees"), token: z.string().nullable(), payload: feesPayload }),
  // A trigger of app.risk_snapshots writes it.
  z.object({ kind: z.literal("risk"), token: z.null(), payload: riskPayload }),
  // `token`: null, because an opening has no token before its end.
  z.object({ kind: z.literal("opening"), token: z.null(), payload: openingPayload }),
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
    kind: z.literal(["eth_usd", "batch", "signal", "fees", "risk", "opening"]),
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
