import { type ErrorCode, errorRow, SlipwayError } from "@slipway/protocol/errors";
import { type ClientMessage, clientMessage, liveCloseCodes, type SubscribeLive } from "@slipway/protocol/liveMessages";
import { parseInput } from "@slipway/protocol/parseInput";
import type { Logger } from "pino";
import { isStorageFailure } from "../db/isStorageFailure.ts";
import { toChecksumAddress } from "../pricing/format.ts";
import type { LiveHub } from "./createLiveHub.ts";
import type { GuardedSocket, SocketSession } from "./guardSocket.ts";
import type { LiveMessageName } from "./liveMessage.ts";

/** Number of invalid messages after which the connection is closed. */
const maxInvalidMessages = 5;

const channelMessages = {
  launches: "launch",
  trades: "trade",
  candles: "candle",
  signals: "signal",
  openings: "opening",
} as const;

type Subscription = Pick<SubscribeLive, "channels" | "tokens" | "interval">;

/**
 * The server's side of one connection of WS /ws: subscriptions, pings, errors.
 *
 * @param options.resumeCursor - The id after which a client that sends a cursor resumes; throws `cursor_expired`.
 */
export function createLiveSession(options: {
  socket: GuardedSocket;
  hub: LiveHub;
  resumeCursor: (cursor: string) => Promise<number>;
  log: Logger;
  /** Called for each invalid message of the client. */
  onRefused: (code: ErrorCode) => void;
}): SocketSession {
  const { socket, hub, resumeCursor, log, onRefused } = options;
  const reader = hub.createReader(socket);
  let invalidMessages = 0;
  let current: Subscription = { channels: [], interval: "1m" };

  const subscribe = (wanted: Subscription, from: number | undefined) => {
    current = wanted;
    const { channels, interval } = wanted;
    const tokens = wanted.tokens === undefined ? null : [...new Set(wanted.tokens.map((token) => token.toLowerCase()))];
    const names = new Set<LiveMessageName>();
    for (const channel of channels) names.add(channelMessages[channel]);
    const filter = channels.length === 0 ? null : { tokens: tokens === null ? null : new Set(tokens), interval, names };
    hub.subscribe(reader, filter, from, (cursor) =>
      socket.send({
        type: "subscribed",
        channels,
        tokens: tokens?.map(toChecksumAddress) ?? null,
        interval,
        cursor: filter === null ? null : String(cursor),
        unavailable: [],
      }),
    );
  };

  const handleCommand = async (message: ClientMessage): Promise<void> => {
    switch (message.type) {
      case "ping":
        return socket.send({ type: "pong", ...(message.id === undefined ? {} : { id: message.id }) });
      case "subscribe_live": {
        const { channels, tokens, interval, cursor } = message;
        const from = cursor === undefined ? undefined : await resumeCursor(cursor);
        return subscribe({ channels: [...new Set(channels)], interval, ...(tokens && { tokens }) }, from);
      }
      case "unsubscribe_live": {
        const left = message.channels === undefined ? [] : current.channels;
        return subscribe({ ...current, channels: left.filter((one) => !message.channels!.includes(one)) }, undefined);
      }
    }
  };

  const sendError = (code: ErrorCode, message: string, field?: string) => {
    const { status, retryable } = errorRow(code);
    if (status < 500) onRefused(code);
    const error = { code, message, retryable, ...(field === undefined ? {} : { field }) };
    socket.send({ type: "error", error });
  };

  const refuse = (code: ErrorCode, message: string, field?: string) => {
    sendError(code, message, field);
    if (++invalidMessages >= maxInvalidMessages) socket.close(liveCloseCodes.policy, "too many bad messages");
  };

  return {
    /** Never rejects. Sends errors to the client. */
    onMessage: async (text) => {
      if (!socket.open()) return;
      let parsed: unknown;
      try {
        parsed = JSON.parse(text);
      } catch {
        return refuse("invalid_json", "The message is not JSON; send one JSON object.");
      }
      const command = parseInput(clientMessage, parsed, "The message");
      if (!command.ok) return refuse("invalid_fields", command.problem.message, command.problem.field);
      try {
        await handleCommand(command.value);
      } catch (error) {
        if (error instanceof SlipwayError) return sendError(error.code, error.message, error.field);
        log.warn({ err: error }, "websocket message failed");
        const isStorage = error instanceof Error && isStorageFailure(error);
        const { code, message } = new SlipwayError(isStorage ? "storage_unavailable" : "internal_error");
        sendError(code, message);
      }
    },
    heartbeat: () => {
      const position = hub.getPosition(reader);
      socket.send({ type: "heartbeat", cursor: position === null ? null : String(position) });
    },
    end: () => hub.drop(reader),
  };
}
