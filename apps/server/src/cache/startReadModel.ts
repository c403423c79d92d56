import { createPoller } from "../createPoller.ts";
import { listenToOutbox } from "../live/listenToOutbox.ts";
import type { Runtime } from "../runtime.ts";
import type { ReadModel } from "./createReadModel.ts";

/** How often the model polls without a notification: the status of the index changes without one. */
const listeningPollMs = 500;
/** The same while notifications do not arrive. */
const fallbackPollMs = 100;

/**
 * Keeps the process's read model in step with the outbox, so that requests need not poll: without this, each costs two
 * small queries.
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
