import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { liveCloseCodes, type ServerMessage } from "@slipway/protocol/liveMessages";
import type { WebSocket } from "ws";
import type { Clock } from "../clock.ts";
import type { FrameSink } from "./createDelivery.ts";
import { textFrame } from "./textFrame.ts";

/** A WebSocket with the limits of `guardSocket`. */
export type GuardedSocket = FrameSink & {
  /** Sends one message on this connection only. */
  send(message: ServerMessage): void;
  close(code: number, reason: string): void;
  /** Pings the client; terminates the connection when too many pings are unanswered. */
  ping(): void;
};

/** The server's side of one connection. */
export type SocketSession = {
  /** Handles a text message; the next one follows when it has resolved. */
  onMessage(text: string): Promise<void>;
  /** Called every `WS_HEARTBEAT_MS` while the client reads. */
  heartbeat(): void;
  end(): void;
};

/** Handler of a path. */
export type SocketEndpoint = {
  /** Called before the handshake is answered, once for each; throws a SlipwayError to refuse it. */
  enter(request: IncomingMessage): Promise<{
    startSession(socket: GuardedSocket): SocketSession;
    /** Called once after the connection has ended, also when the handshake failed after `enter`. */
    leave(): void;
  }>;
};

const maxUnansweredPings = 2;

/**
 * Applies the limits of every WebSocket: messages a second, unread bytes, text only, and an end when the client no
 * longer answers.
 *
 * @param options.socket - The connection below; frames for many readers are written to it directly. That keeps their
 * order with the frames of `ws`, which also writes each of its own at once as long as nothing is compressed.
 * @param options.onText - One message; awaited before the next one is passed.
 */
export function guardSocket(options: {
  ws: WebSocket;
  socket: Duplex;
  clock: Pick<Clock, "now">;
  messagesPerSecond: number;
  bufferBytes: number;
  onText: (text: string) => Promise<void>;
  onClose: (code: number) => void;
}): GuardedSocket {
  const { ws, socket, clock, bufferBytes, onText, onClose } = options;
  const budget = createConnectionBudget(options.messagesPerSecond, () => clock.now());
  let unansweredPings = 0;
  let handled = Promise.resolve();

  const guarded: GuardedSocket = {
    open: () => ws.readyState === ws.OPEN && socket.writable,
    write: (frames) => {
      if (guarded.open()) socket.write(frames);
    },
    buffered: () => socket.writableLength,
    drained: async () => {
      if (!socket.writableNeedDrain) return;
      await new Promise<void>((resolve) => {
        const done = () => {
          socket.off("drain", done).off("close", done);
          resolve();
        };
        socket.once("drain", done).once("close", done);
      });
    },
    send: (message) => guarded.write(textFrame(JSON.stringify(message))),
    close: (code, reason) => ws.close(code, reason),
    ping: () => {
      if (unansweredPings >= maxUnansweredPings) return ws.terminate();
      unansweredPings++;
      // A client that reads nothing would only receive all pings at once later.
      if (guarded.open() && guarded.buffered() <= bufferBytes) ws.ping();
    },
  };

  /** Whether a received frame may be handled; closes the connection when a limit is exceeded. */
  const accept = (): boolean => {
    unansweredPings = 0;
    if (ws.readyState !== ws.OPEN) return false;
    if (!budget.take()) {
      guarded.close(liveCloseCodes.policy, "too many messages");
      return false;
    }
    if (guarded.buffered() > bufferBytes * 2) {
      guarded.close(liveCloseCodes.policy, "answers are not read");
      return false;
    }
    return true;
  };

  ws.on("message", (data, isBinary) => {
    if (!accept()) return;
    if (isBinary) return guarded.close(liveCloseCodes.unsupported, "text messages only");
    const text = (data as Buffer).toString("utf8");
    handled = handled.then(() => onText(text));
  });
  ws.on("ping", accept);
  ws.on("pong", () => {
    unansweredPings = 0;
  });
  // `ws` itself closes with the right code after a protocol error (a frame too large, invalid UTF-8).
  ws.on("error", () => undefined);
  ws.on("close", (code) => onClose(code));
  return guarded;
}

/**
 * A token bucket: so many messages a second on average, and bursts of twice as many.
 *
 * @param now - Milliseconds.
 */
export function createConnectionBudget(perSecond: number, now: () => number): { take(): boolean } {
  const capacity = perSecond * 2;
  let left = capacity;
  let filledAt = now();
  return {
    /** Takes one message; false when there is none left. */
    take: () => {
      const at = now();
      left = Math.min(capacity, left + (Math.max(0, at - filledAt) * perSecond) / 1_000);
      filledAt = at;
      if (left < 1) return false;
      left--;
      return true;
    },
  };
}
