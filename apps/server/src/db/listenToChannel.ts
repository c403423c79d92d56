import type { Logger } from "pino";
import type { Clock } from "../clock.ts";
import type { Database } from "./database.ts";

const reconnectMs = 500;

export type ChannelListener = {
  /** Whether notifications arrive now; while they do not, only polling finds changes. */
  listening(): boolean;
  stop(): Promise<void>;
};

/**
 * Calls `wake` with the payload of every notification of a channel, by LISTEN on one connection of the pool. A lost
 * connection is opened again; since notifications were missed meanwhile, `wake` is called with null then, and also at the
 * start. A notification is only a hint: what happened is in the tables.
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
    // Both fire when the server ends the session, the first one twice.
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
      // The session holds a LISTEN: it must not return to the pool.
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
