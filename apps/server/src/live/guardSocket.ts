import type { Duplex } from "node:stream";
import { liveCloseCodes } from "@slipway/protocol/liveMessages";
import type { WebSocket } from "ws";
import type { Clock } from "../clock.ts";
import type { FrameSink } from "./createLiveHub.ts";
import { textFrame } from "./textFrame.ts";

export type GuardedSocket = FrameSink & {
  /** Sends one message of this connection alone. */
  say(message: object): void;
  close(code: number, reason: string): void;
  /** Asks the other side whether it is there; ends the connection when it has not answered for long. */
  probe(): void;
};

/** Pings that may stay unanswered. */
const patience = 2;

/**
 * A WebSocket with the bounds that every one of this service has: messages a second, unread bytes, text only, and an
 * end when the other side is gone.
 *
 * @param options.socket - The connection below; frames for many readers are written to it as they are. That keeps
 * their order with those of `ws`, which writes each of its own at once too as long as nothing is compressed.
 * @param options.onText - One message; awaited before the next one is given.
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
  let unanswered = 0;
  let work = Promise.resolve();

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
    say: (message) => guarded.write(textFrame(JSON.stringify(message))),
    close: (code, reason) => ws.close(code, reason),
    probe: () => {
      if (unanswered >= patience) return ws.terminate();
      unanswered++;
      // One that reads nothing would only find them all together.
      if (guarded.open() && guarded.buffered() <= bufferBytes) ws.ping();
    },
  };

  /** Whether what has come may be looked at; closes the connection otherwise. */
  const admit = (): boolean => {
    unanswered = 0;
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
    if (!admit()) return;
    if (isBinary) return guarded.close(liveCloseCodes.unsupported, "text messages only");
    const text = (data as Buffer).toString("utf8");
    work = work.then(() => onText(text));
  });
  ws.on("ping", admit);
  ws.on("pong", () => {
    unanswered = 0;
  });
  // What `ws` finds wrong (a frame too large, no UTF-8) it answers with the right close code itself.
  ws.on("error", () => undefined);
  ws.on("close", (code) => onClose(code));
  return guarded;
}

/**
 * A bucket of tokens: so many messages a second in the mean, twice as many at once.
 *
 * @param now - Milliseconds.
 */
export function createConnectionBudget(perSecond: number, now: () => number): { take(): boolean } {
  const most = perSecond * 2;
  let left = most;
  let filledAt = now();
  return {
    /** Takes one message's worth; false when there is none left. */
    take: () => {
      const at = now();
      left = Math.min(most, left + (Math.max(0, at - filledAt) * perSecond) / 1_000);
      filledAt = at;
      if (left < 1) return false;
      left--;
      return true;
    },
  };
}

/** One side of a conversation with one client. */
type Conversation = {
  /** A text message; the next one comes after it. */
  hear(text: string): Promise<void>;
  /** Called every `WS_HEARTBEAT_MS` while the client reads. */
  beat(): void;
  end(): void;
};

/** What stands behind a path. */
export type SocketEndpoint = {
  /** Before the handshake is answered, once for each; throws a SlipwayError to refuse it. */
  enter(): Promise<(socket: GuardedSocket) => Conversation>;
  /** After its end, also when no connection came of it. */
  leave(): void;
};
