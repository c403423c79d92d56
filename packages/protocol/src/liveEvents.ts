import { z } from "zod";
import { candleInterval, indexedCandle, indexedTrade } from "./indexed.ts";
import { addressOut, amountOut, dateTime, evmAddress } from "./primitives.ts";
import { signal } from "./signals.ts";

/** The first message of a stream; the stream contains every event after this cursor. */
export const streamReady = z.object({ cursor: z.string() });

/** A new launch with the fields of its event; GET /tokens/{address} returns the rest. */
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

/** A change of an opening. */
export const openingEvent = z.object({
  opening: addressOut.describe("The address of the opening."),
  token: addressOut.nullable().describe("The launched token, of `opened` and `closed`."),
  kind: z.enum(["created", "deposited", "opened", "closed", "claimed"]).describe("What happened."),
  account: addressOut
    .nullable()
    .describe("The creator, the depositor, or the account whose claim was paid; null for `opened` and `closed`."),
  native_amount: amountOut.nullable().describe("The wei that were deposited, spent or refunded; null for `created`."),
  token_amount: amountOut
    .nullable()
    .describe(
      "The tokens that were bought or claimed, or with `closed` had arrived, in base units; null for `created` and `deposited`.",
    ),
  total: amountOut
    .nullable()
    .describe("The deposits of all accounts after a deposit in wei; null for the other kinds."),
  block_number: z.int().describe("The block of the event."),
  log_index: z.int().describe("The position of the event among all events of its block."),
  tx_hash: z.string().describe("The transaction of the event."),
});

/** A reorganisation removed blocks with these trades and launches. `tokens`: all tokens whose figures changed. */
export const retractedEvent = z.object({
  above_block: z.int(),
  trades: z.array(z.string()),
  launches: z.array(addressOut),
  tokens: z.array(addressOut),
  openings: z
    .array(addressOut)
    .optional()
    .describe("The openings that were created or changed in these blocks; absent if there are none."),
});

/** The reason why messages were omitted: the reader was too slow or disconnected too long, or the index was rebuilt. */
export const snapshotReason = z.enum(["slow_reader", "rebuilt"]);

/** Messages were omitted: the client must read its data over REST again, which returns data of this cursor or later. */
export const snapshotEvent = z.object({ reason: snapshotReason, cursor: z.string() });

/** A message of GET /stream: the fields of a Server-Sent Event, `data` parsed. */
const createMessage = <Name extends string, Data extends z.ZodType>(event: Name, data: Data) =>
  z.object({ event: z.literal(event), id: z.string(), data });

/** The messages of GET /stream by event name. `id` is the cursor with which a client resumes. */
export const streamMessage = z
  .discriminatedUnion("event", [
    createMessage("ready", streamReady).meta({ id: "ReadyMessage", description: "The first message of a stream." }),
    createMessage("launch", launchEvent).meta({ id: "LaunchMessage", description: "A new launch." }),
    createMessage("trade", tradeEvent).meta({ id: "TradeMessage", description: "A trade of a token." }),
    createMessage("candle", candleEvent).meta({
      id: "CandleMessage",
      description: "A candle after a trade; a later message with the same `t` replaces it.",
    }),
    createMessage("signal", signal).meta({
      id: "SignalMessage",
      description: "A trading signal. With `token`, only signals of the token's pool.",
    }),
    createMessage("opening", openingEvent).meta({
      id: "OpeningMessage",
      description: "A change of an opening. With the address of an opening as `token`, only its changes.",
    }),
    createMessage("retracted", retractedEvent).meta({
      id: "RetractedMessage",
      description: "A chain reorg reverted these trades and launches.",
    }),
    createMessage("snapshot", snapshotEvent).meta({
      id: "SnapshotMessage",
      description: "Messages were skipped; load the data again over REST.",
    }),
  ])
  .meta({
    id: "StreamMessage",
    description: "A message of the stream: name, id and parsed data of a Server-Sent Event.",
  });

export type LaunchEvent = z.infer<typeof launchEvent>;
export type TradeEvent = z.infer<typeof tradeEvent>;
export type CandleEvent = z.infer<typeof candleEvent>;
export type OpeningEvent = z.infer<typeof openingEvent>;
export type RetractedEvent = z.infer<typeof retractedEvent>;
export type SnapshotEvent = z.infer<typeof snapshotEvent>;

export const streamQuery = z.object({
  token: evmAddress.optional().describe("Only messages of this token; by default messages of all tokens."),
  interval: candleInterval.default("1m").describe("The length of the candles in `candle` messages."),
});

/** The headers of GET /stream. */
export const streamHeaders = z.looseObject({
  "last-event-id": z
    .string()
    .regex(/^\d{1,15}$/, "must be the id of an event of this stream")
    .optional()
    .describe("The id of the last message that the client received: the stream continues after it."),
});
