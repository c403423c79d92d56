import type { Logger } from "pino";
import type { Clock } from "../clock.ts";
import type { Database } from "./database.ts";

const reconnectMs = 500;

export type ChannelListener = {
  /** Whether the listener is connected. Otherwise only polling finds changes. */
  listening(): boolean;
  stop(): Promise<void>;
};

/**
 * Calls `wake` with the payload of each notification of a channel. Uses LISTEN on one connection of the pool, and
 * reconnects after a lost connection. Calls `wake` with null at the start and after each reconnect, because
 * notifications may have been missed. A notification is only a hint: the data is in the tables.
 */
export function listenToChannel(options: {
  pool: Database["listening"];
  clock: Pick<Clock, "sleep">;
  log: Logger;
  channel: string;
  wake: (payload: string | null) => void;
}): ChannelListener {
  const { pool, clock, log, channel, wake } = options;
  const stopped = new AbortController();
  let listening = false;

  const listen = async () => {
    const client = await pool.connect();
    const { promise: lost, resolve: lose } = Promise.withResolvers<void>();
    // If the server ends the session, the client emits `error` twice and `end` once.
    client.on("error", () => lose());
    client.on("end", () => lose());
    client.on("notification", ({ payload }) => wake(payload ?? ""));
    stopped.signal.addEventListener("abort", () => lose(), { once: true });
    try {
      await client.query(`listen ${channel}`);
      listening = true;
      wake(null);
      if (!stopped.signal.aborted) await lost;
    } finally {
      listening = false;
      // A session with LISTEN must not return to the pool.
      client.release(true);
    }
  };

  const run = async () => {
    while (!stopped.signal.aborted) {
      try {
        await listen();
        if (!stopped.signal.aborted) log.warn({ channel }, "database listener connection lost");
      } catch (error) {
        if (!stopped.signal.aborted) log.warn({ err: error, channel }, "database listen failed");
      }
      await clock.sleep(reconnectMs, stopped.signal).catch(() => undefined);
    }
  };
  const running = run();

  return {
    listening: () => listening,
    stop: async () => {
      stopped.abort();
      await running;
    },
  };
}
