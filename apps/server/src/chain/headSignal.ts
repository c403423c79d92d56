import type { Logger } from "pino";
import type { Clock } from "../clock.ts";

/** Says when it is worth looking at the head again. */
export type HeadSignal = {
  /** Resolves at the next head, or after the polling interval at the latest. */
  next(signal: AbortSignal): Promise<void>;
  close(): void;
};

/** Looks at the head at a fixed interval. */
export function createHeadPolling(clock: Clock, intervalMs: number): HeadSignal {
  return { next: (signal) => clock.sleep(intervalMs, signal), close: () => undefined };
}

const reconnectMs = 1_000;
/** While the subscription is alive, polling is only a safety net. */
const netMs = 1_000;

/**
 * Subscribes to newHeads; until the connection stands, and whenever it is lost, falls back to polling. The
 * notification only wakes: what it says is asked for again, from an endpoint of the pool.
 */
export function createHeadSubscription(url: string, clock: Clock, intervalMs: number, log: Logger): HeadSignal {
  const closed = new AbortController();
  let isLive = false;
  let socket: WebSocket | null = null;
  // A head that comes while the indexer works must not be missed: it answers the next call at once.
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
      // The first answer is the subscription's id; an error leaves us polling.
      if (!isLive) isLive = !text.includes('"error"');
      isDue = true;
      wake?.();
    };
    socket.onclose = () => {
      if (isLive) log.debug("head subscription lost, polling");
      isLive = false;
      clock.sleep(reconnectMs, closed.signal).then(connect, () => undefined);
    };
    // A failed connection also closes, and onclose reconnects. The event may quote the URL: it is not logged.
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
      const sleep = clock.sleep(isLive ? netMs : intervalMs, AbortSignal.any([signal, cancel.signal]));
      // Cancelled below when the head came first.
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
