import { z } from "zod";
import { errorBody } from "./errorBody.ts";
import { candleInterval } from "./indexed.ts";
import { candleEvent, launchEvent, openingEvent, retractedEvent, snapshotReason, tradeEvent } from "./liveEvents.ts";
import { addressOut, evmAddress } from "./primitives.ts";
import { signal } from "./signals.ts";
import { text } from "./text.ts";

/** The channels of WS /ws. */
export const liveChannel = z.enum(["launches", "trades", "candles", "signals", "openings"]);
export type LiveChannel = z.infer<typeof liveChannel>;

/** The maximum number of tokens in one subscription; a client that follows more tokens must omit the list. */
export const maxSubscriptionTokens = 200;

/** The maximum size of a message from a client. */
export const maxClientMessageBytes = 16 * 1024;

/** The close codes of a connection besides those of RFC 6455. */
export const liveCloseCodes = {
  /** The server is shutting down: reconnect with the last cursor. */
  goingAway: 1001,
  /** A binary message. */
  unsupported: 1003,
  /** Too many messages, or too many invalid ones. */
  policy: 1008,
  /** The key was revoked or has expired, or the session has ended. */
  unauthorized: 4401,
  /** The account has no active plan any more. */
  planRequired: 4403,
} as const;

/** Replaces the connection's subscription; `cursor` is the last cursor that the client has received. */
export const subscribeLive = z.strictObject({
  type: z.literal("subscribe_live"),
  channels: z.array(liveChannel).min(1).max(5),
  tokens: z.array(evmAddress).min(1).max(maxSubscriptionTokens).optional(),
  interval: candleInterval.default("1m"),
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, "must be a cursor of this stream")
    .optional(),
});

/** Unsubscribes from the named channels, or from all channels if none is named. */
const unsubscribeLive = z.strictObject({
  type: z.literal("unsubscribe_live"),
  channels: z.array(liveChannel).min(1).max(5).optional(),
});

/** A request for a `pong` with the same `id`. */
const ping = z.strictObject({ type: z.literal("ping"), id: text().max(64).optional() });

export const clientMessage = z.discriminatedUnion("type", [subscribeLive, unsubscribeLive, ping]);
export type ClientMessage = z.infer<typeof clientMessage>;
export type SubscribeLive = z.infer<typeof subscribeLive>;

const cursor = z.string();

/** The new subscription of the connection, which receives every message after `cursor`. `tokens` null: all tokens. */
const subscribed = z.object({
  type: z.literal("subscribed"),
  channels: z.array(liveChannel),
  tokens: z.array(addressOut).nullable(),
  interval: candleInterval,
  cursor: cursor.nullable(),
  /** The subscribed channels that have no messages, with the reason. */
  unavailable: z.array(z.object({ channel: liveChannel, reason: z.string() })),
});

/** Messages were omitted: the client must read its data over REST again, which returns data of this cursor or later. */
const snapshot = z.object({ type: z.literal("snapshot"), cursor, data: z.object({ reason: snapshotReason }) });

/**
 * The messages with a cursor. Client and server keep the last cursor; the server sends no message at or before it
 * again.
 */
export const dataMessage = z.discriminatedUnion("type", [
  z.object({ type: z.literal("launch"), cursor, data: launchEvent }),
  z.object({ type: z.literal("trade"), cursor, data: tradeEvent }),
  z.object({ type: z.literal("candle"), cursor, data: candleEvent }),
  z.object({ type: z.literal("signal"), cursor, data: signal }),
  z.object({ type: z.literal("opening"), cursor, data: openingEvent }),
  z.object({ type: z.literal("retracted"), cursor, data: retractedEvent }),
  snapshot,
]);
export type DataMessage = z.infer<typeof dataMessage>;

/** Sent while the connection is open; with a subscription, every message up to `cursor` was sent. */
const heartbeat = z.object({ type: z.literal("heartbeat"), cursor: cursor.nullable() });

const pong = z.object({ type: z.literal("pong"), id: z.string().optional() });

/** A client's message was rejected; the connection and its subscription are unchanged. */
const errorMessage = z.object({
  type: z.literal("error"),
  error: errorBody.shape.error.pick({ code: true, message: true, retryable: true, field: true }),
});

export const serverMessage = z.union([
  dataMessage,
  z.discriminatedUnion("type", [subscribed, heartbeat, pong, errorMessage]),
]);
export type ServerMessage = z.infer<typeof serverMessage>;
