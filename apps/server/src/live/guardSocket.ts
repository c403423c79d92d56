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
  /** Pings the client. Terminates the connection after too many unanswered pings. */
  ping(): void;
};

/** The server's side of one connection. */
export type SocketSession = {
  /** Handles a text message. The next message follows after the promise resolves. */
  onMessage(text: string): Promise<void>;
  /** Called every `WS_HEARTBEAT_MS` while the client reads. */
  heartbeat(): void;
  end(): void;
};

/** Handler of a path. */
export type SocketEndpoint = {
  /** Called once per handshake, before the answer. Throws a SlipwayError to reject the handshake. */
  enter(request: IncomingMessage): Promise<{
    startSession(socket: GuardedSocket): SocketSession;
    /** Called once after the connection has ended, also if the handshake failed after `enter`. */
    leave(): void;
  }>;
};

const maxUnansweredPings = 2;

/**
 * Applies the limits of all WebSockets: messages per second, unread bytes, text only, and termination of clients that
 * do not answer.
 *
 * @param options.socket - The underlying connection. Frames for many readers are written to it directly. They stay in
 *   order with the frames of `ws`, because `ws` writes each frame immediately without compression.
 * @param options.onText - Handles one message; awaited before the next message.
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
      // Does not ping a client that does not read: the client would receive all pings at once later.
      if (guarded.open() && guarded.buffered() <= bufferBytes) ws.ping();
    },
  };

  /** Whether a received frame may be handled. Closes the connection if a limit is exceeded. */
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
  // After a protocol error (too large a frame, invalid UTF-8), `ws` closes the connection with the right code.
  ws.on("error", () => undefined);
  ws.on("close", (code) => onClose(code));
  return guarded;
}

/**
 * Creates a token bucket with an average of `perSecond` messages per second, and bursts of twice that number.
 *
 * @param now - Returns the time in milliseconds.
 */
export function createConnectionBudget(perSecond: number, now: () => number): { take(): boolean } {
  const capacity = perSecond * 2;
  let left = capacity;
  let filledAt = now();
  return {
    /** Takes one message from the budget; false if the budget is empty. */
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
