import { errorRow } from "@slipway/protocol/errors";
import type { CandleInterval } from "@slipway/protocol/indexed";
import { type LiveChannel, liveCloseCodes, type ServerMessage, serverMessage } from "@slipway/protocol/liveMessages";
import { ApiError } from "./apiError.ts";
import { createWatchdog, type LiveMessage, type ResumeOptions, resumeStream, type StreamItem } from "./resumeStream.ts";

/** The used part of a WebSocket, which browsers, Node and the package `ws` have. */
export type WebSocketLike = {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: "open" | "error", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { data: unknown }) => void): void;
  addEventListener(type: "close", listener: (event: { code: number; reason: string }) => void): void;
};

export type LiveOptions = ResumeOptions & {
  /** E.g. `wss://launch.example/ws`. */
  url: string;
  channels: LiveChannel[];
  /** Default: all. */
  tokens?: string[];
  /** The length of candles. Default 1m. */
  interval?: CandleInterval;
  /** Sent as a header, which Node's WebSocket supports and a page's does not: a page authenticates by the session's cookie. */
  apiKey?: string;
  /** Opens the connection, e.g. `(url) => new WebSocket(url, { headers })` of the package `ws`. */
  webSocket?: (url: string) => WebSocketLike;
};

/** The maximum number of messages queued for a slow reader; above it the connection is closed and resumed later. */
const maxQueuedMessages = 10_000;

/**
 * Streams the messages of `streamEvents` over WebSocket, for several tokens. Needs a subscription.
 *
 * @example
 * for await (const message of connectLive({ url, apiKey, channels: ["trades", "candles"], tokens, signal })) {
 *   if (message.type === "candle") draw(message.data);
 * }
 *
 * @throws ApiError when the subscription is refused, the credential is no longer valid or the plan has ended. A WebSocket
 * cannot distinguish a refused handshake from a lost connection; it is retried, see `onRetry`.
 */
export function connectLive(options: LiveOptions): AsyncGenerator<LiveMessage> {
  return resumeStream((cursor) => readOnce(options, cursor), options);
}

function open({ url, apiKey, webSocket }: LiveOptions): WebSocketLike {
  if (webSocket !== undefined) return webSocket(url);
  if (apiKey === undefined) return new WebSocket(url);
  // The second argument of Node's WebSocket may contain headers; the types describe the WebSocket of a page.
  return new WebSocket(url, { headers: { authorization: `Bearer ${apiKey}` } } as never);
}

/** Reads one connection until it ends. */
async function* readOnce(options: LiveOptions, cursor: string | undefined): AsyncGenerator<StreamItem> {
  const { channels, tokens, interval, signal } = options;
  const queue: ServerMessage[] = [];
  let ended: { error: Error | undefined } | null = null;
  let changed = Promise.withResolvers<void>();
  const end = (error: Error | undefined) => {
    ended ??= { error };
    changed.resolve();
  };
  const socket = open(options);
  const close = () => {
    end(undefined);
    socket.close(1000);
  };
  const watchdog = createWatchdog(close);
  signal?.addEventListener("abort", close, { once: true });
  socket.addEventListener("open", () => {
    socket.send(JSON.stringify({ type: "subscribe_live", channels, tokens, interval, cursor }));
  });
  socket.addEventListener("message", ({ data }) => {
    watchdog.feed();
    if (ended !== null) return;
    try {
      // A message of a later version of the service is ignored.
      const message = serverMessage.safeParse(JSON.parse(String(data)));
      if (message.success) queue.push(message.data);
    } catch (error) {
      // Thrown in a listener, it could not be caught.
      end(error as Error);
    }
    if (queue.length > maxQueuedMessages) close();
    changed.resolve();
  });
  socket.addEventListener("error", () => end(new Error("the live connection failed")));
  socket.addEventListener("close", ({ code }) => end(closeError(code)));
  try {
    if (signal?.aborted === true) close();
    for (;;) {
      while (queue.length > 0) {
        const item = toStreamItem(queue.shift()!);
        if (item !== null) yield item;
      }
      // The listeners above assign it, which the compiler does not track.
      const over = ended as { error: Error | undefined } | null;
      if (over !== null) {
        if (over.error !== undefined) throw over.error;
        return;
      }
      await changed.promise;
      changed = Promise.withResolvers();
    }
  } finally {
    watchdog.stop();
    signal?.removeEventListener("abort", close);
    socket.close(1000);
  }
}

function toStreamItem(message: ServerMessage): StreamItem | null {
  switch (message.type) {
    case "subscribed":
    case "heartbeat":
      return { cursor: message.cursor };
    case "pong":
      return null;
    case "error": {
      const { code, message: text, retryable, field } = message.error;
      throw apiError(code, text, retryable, field);
    }
    default:
      return { cursor: message.cursor, message };
  }
}

function closeError(code: number): ApiError | undefined {
  if (code === liveCloseCodes.unauthorized) return apiError("unauthorized", "The credential is no longer valid.");
  if (code === liveCloseCodes.planRequired) return apiError("plan_required", "The plan has ended.");
  return undefined;
}

function apiError(code: ApiError["code"], message: string, retryable = false, field?: string): ApiError {
  const status = code === "unexpected_answer" ? 0 : errorRow(code).status;
  return new ApiError({ code, message, status, requestId: null, retryable, retryAfterSeconds: null, field });
}
