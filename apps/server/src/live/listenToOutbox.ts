import type { Logger } from "pino";
import type { Database } from "../db/database.ts";
import type { Clock } from "../clock.ts";

const reconnectMs = 500;

export type OutboxListener = {
  /** Whether wake-ups arrive now; while not, only polling finds out. */
  listening(): boolean;
  stop(): Promise<void>;
};

/**
 * Calls `wake` after every commit that is told, by LISTEN on one connection of the pool. A lost connection is made
 * again; since notifications were missed meanwhile, `wake` is called then too. A wake-up is a hint: what has happened
 * is in the outbox.
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
    let lost: (error?: Error) => void = () => undefined;
    const gone = new Promise<void>((resolve) => {
      lost = () => resolve();
    });
    // Both fire when the server ends the session, the first one twice.
    client.on("error", lost);
    client.on("end", lost);
    client.on("notification", wake);
    stopped.signal.addEventListener("abort", () => lost(), { once: true });
    try {
      await client.query(`listen ${outboxChannel}`);
      listening = true;
      wake();
      if (!stopped.signal.aborted) await gone;
    } finally {
      listening = false;
      // The session holds a LISTEN: it must not go back to the pool.
      client.release(true);
    }
  };

  const run = async () => {
    while (!stopped.signal.aborted) {
      try {
        await listen();
        if (!stopped.signal.aborted) log.warn("the connection that listens to the outbox was lost");
      } catch (error) {
        if (!stopped.signal.aborted) log.warn({ err: error }, "the outbox cannot be listened to; it is polled");
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

/**
 * The channel that API processes LISTEN on. A notification says that there is something new in `chain.outbox` or
 * `app.token_manifests`, not what.
 */
export const outboxChannel = "slipway_outbox";
