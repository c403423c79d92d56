import { createPoller } from "../createPoller.ts";
import { listenToOutbox } from "../live/listenToOutbox.ts";
import type { Runtime } from "../runtime.ts";
import type { ReadModel } from "./createReadModel.ts";

/** Interval of polls while notifications arrive. The index status changes without a notification. */
const listeningPollMs = 500;
/** Interval of polls while the listener is not connected. */
const fallbackPollMs = 100;

/**
 * Keeps the process's read model up to date with the outbox, so that requests need not poll. Otherwise each request
 * would make two small queries.
 */
export function startReadModel(deps: Pick<Runtime, "clock" | "log" | "db"> & { readModel: ReadModel }): {
  stop(): Promise<void>;
} {
  const { clock, log, readModel } = deps;
  let failing = false;
  const poller = createPoller({
    clock,
    run: async () => {
      try {
        await readModel.sync();
        readModel.setFollowed(listener.listening());
        failing = false;
      } catch (error) {
        readModel.setFollowed(false);
        if (!failing) log.warn({ err: error }, "read model poll failed");
        failing = true;
      }
      return listener.listening() && !failing ? listeningPollMs : fallbackPollMs;
    },
  });
  const listener = listenToOutbox({ pool: deps.db.listening, clock, log, wake: poller.wake });

  return {
    stop: async () => {
      await Promise.all([poller.stop(), listener.stop()]);
      readModel.setFollowed(false);
    },
  };
}
