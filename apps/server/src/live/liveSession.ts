import { type ErrorCode, errorRow, SlipwayError } from "@slipway/protocol/errors";
import { type ClientMessage, clientMessage, liveCloseCodes, type SubscribeLive } from "@slipway/protocol/liveMessages";
import type { Logger } from "pino";
import { isStorageFailure } from "../db/database.ts";
import { checksumOf } from "../pricing/format.ts";
import type { LiveEvent } from "./liveMessage.ts";
import type { GuardedSocket } from "./guardedSocket.ts";
import type { LiveHub, LiveReader } from "./liveHub.ts";

/** Messages that cannot be understood, before the connection is closed. */
const mostMistakes = 5;

const eventOf = { launches: "launch", trades: "trade", candles: "candle" } as const;

const noSignals = { channel: "signals", reason: "No trading signals are produced yet." } as const;

/** What one client of /ws says, and what it is answered: subscriptions, pings, mistakes. */
export function createLiveConversation(options: {
  socket: GuardedSocket;
  hub: LiveHub;
  reader: LiveReader;
  /** Where a client that comes back with a cursor goes on; throws `cursor_expired`. */
  startOf: (cursor: string) => Promise<number>;
  log: Logger;
}): { hear(text: string): Promise<void> } {
  const { socket, hub, reader, startOf, log } = options;
  let mistakes = 0;
  let current: Pick<SubscribeLive, "channels" | "tokens" | "interval"> = { channels: [], interval: "1m" };

  const subscribe = (wanted: typeof current, from: number | undefined) => {
    current = wanted;
    const { channels, interval } = wanted;
    const tokens = wanted.tokens === undefined ? null : [...new Set(wanted.tokens.map((token) => token.toLowerCase()))];
    const names = new Set<LiveEvent["name"]>();
    for (const channel of channels) if (channel !== "signals") names.add(eventOf[channel]);
    const filter = channels.length === 0 ? null : { tokens: tokens === null ? null : new Set(tokens), interval, names };
    hub.subscribe(reader, filter, from, (cursor) =>
      socket.say({
        type: "subscribed",
        channels,
        tokens: tokens?.map(checksumOf) ?? null,
        interval,
        cursor: filter === null ? null : String(cursor),
        unavailable: channels.includes("signals") ? [noSignals] : [],
      }),
    );
  };

  const obey = async (message: ClientMessage): Promise<void> => {
    switch (message.type) {
      case "ping":
        return socket.say({ type: "pong", ...(message.id === undefined ? {} : { id: message.id }) });
      case "subscribe_live": {
        const { channels, tokens, interval, cursor } = message;
        const from = cursor === undefined ? undefined : await startOf(cursor);
        return subscribe({ channels: [...new Set(channels)], interval, ...(tokens && { tokens }) }, from);
      }
      case "unsubscribe_live": {
        const left = message.channels === undefined ? [] : current.channels;
        return subscribe({ ...current, channels: left.filter((one) => !message.channels!.includes(one)) }, undefined);
      }
    }
  };

  const sayError = (code: ErrorCode, message: string, field?: string) => {
    const error = { code, message, retryable: errorRow(code).retryable, ...(field === undefined ? {} : { field }) };
    socket.say({ type: "error", error });
  };

  const refuse = (code: ErrorCode, message: string, field?: string) => {
    sayError(code, message, field);
    if (++mistakes >= mostMistakes) socket.close(liveCloseCodes.policy, "too many bad messages");
  };

  return {
    /** Never rejects: what is wrong with a message is told. */
    hear: async (text) => {
      if (!socket.open()) return;
      let said: unknown;
      try {
        said = JSON.parse(text);
      } catch {
        return refuse("invalid_json", "The message is no JSON.");
      }
      const read = clientMessage.safeParse(said);
      if (!read.success) {
        const { path, message } = read.error.issues[0]!;
        const field = path.join(".");
        return refuse("invalid_fields", field === "" ? message : `${field}: ${message}`, field || undefined);
      }
      try {
        await obey(read.data);
      } catch (error) {
        if (error instanceof SlipwayError) return sayError(error.code, error.message, error.field);
        log.warn({ err: error }, "websocket message failed");
        const isStorage = error instanceof Error && isStorageFailure(error);
        const { code, message } = new SlipwayError(isStorage ? "storage_unavailable" : "internal_error");
        sayError(code, message);
      }
    },
  };
}
