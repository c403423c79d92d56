import type { Logger } from "pino";
import type { Clock } from "../clock.ts";

/** Signals that the head may have changed. */
export type HeadSignal = {
  /** Resolves at the next head, at the latest after the polling interval. */
  next(signal: AbortSignal): Promise<void>;
  close(): void;
};

/** Creates a signal at a fixed interval. */
export function createHeadPolling(clock: Clock, intervalMs: number): HeadSignal {
  return { next: (signal) => clock.sleep(intervalMs, signal), close: () => undefined };
}

const reconnectMs = 1_000;
/** Polling interval while the subscription is open: a fallback for lost notifications. */
const fallbackIntervalMs = 1_000;

/**
 * Subscribes to newHeads over a WebSocket. Polls while the connection is not open. A notification is only a trigger:
 * the caller reads the head from an endpoint of the pool.
 */
export function createHeadSubscription(url: string, clock: Clock, intervalMs: number, log: Logger): HeadSignal {
  const closed = new AbortController();
  let isLive = false;
  let socket: WebSocket | null = null;
  // A head that arrives between two calls resolves the next call immediately.
  let isDue = false;
  let wake: (() => void) | null = null;

  const connect = () => {
    if (closed.signal.aborted) return;
    socket = new WebSocket(url);
    socket.onopen = () => {
      socket?.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] }));
    };
    socket.onmessage = (event) => {
      const text = String(event.data);
      // The first message is the subscription id; after an error the polling continues.
      if (!isLive) isLive = !text.includes('"error"');
      isDue = true;
      wake?.();
    };
    socket.onclose = () => {
      if (isLive) log.debug("head subscription lost");
      isLive = false;
      clock.sleep(reconnectMs, closed.signal).then(connect, () => undefined);
    };
    // A failed connection also closes, and onclose reconnects. The event may contain the URL, so it is not logged.
    socket.onerror = () => undefined;
  };
  connect();

  return {
    next: async (signal) => {
      if (isDue) {
        isDue = false;
        return;
      }
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const cancel = new AbortController();
      const sleep = clock.sleep(isLive ? fallbackIntervalMs : intervalMs, AbortSignal.any([signal, cancel.signal]));
      // Rejects when it is cancelled below.
      sleep.catch(() => undefined);
      try {
        await Promise.race([woken, sleep]);
      } finally {
        wake = null;
        isDue = false;
        cancel.abort();
      }
    },
    close: () => {
      closed.abort();
      socket?.close();
    },
  };
}
