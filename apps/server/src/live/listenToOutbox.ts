import type { Logger } from "pino";
import type { Clock } from "../clock.ts";
import type { Database } from "../db/database.ts";

const reconnectMs = 500;

/** The channel of notifications about new rows of `chain.outbox` or changes of `app.token_manifests`. */
export const outboxChannel = "slipway_outbox";

export type OutboxListener = {
  /** Whether notifications arrive now; while they do not, only polling finds changes. */
  listening(): boolean;
  stop(): Promise<void>;
};

/**
 * Calls `wake` after every commit that notifies, by LISTEN on one connection of the pool. A lost connection is opened
 * again; since notifications were missed meanwhile, `wake` is called then too. A notification is only a hint: what
 * happened is in the outbox.
 */
export function listenToOutbox(options: {
  pool: Database["listening"];
  clock: Pick<Clock, "sleep">;
  log: Logger;
  wake: () => void;
}): OutboxListener {
  const { pool, clock, log, wake } = options;
  const stopped = new AbortController();
  let listening = false;

  const listen = async () => {
    const client = await pool.connect();
    const { promise: lost, resolve: lose } = Promise.withResolvers<void>();
    // Both fire when the server ends the session, the first one twice.
    client.on("error", () => lose());
    client.on("end", () => lose());
    client.on("notification", wake);
    stopped.signal.addEventListener("abort", () => lose(), { once: true });
    try {
      await client.query(`listen ${outboxChannel}`);
      listening = true;
      wake();
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
        if (!stopped.signal.aborted) log.warn("outbox listener connection lost");
      } catch (error) {
        if (!stopped.signal.aborted) log.warn({ err: error }, "outbox listen failed");
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
