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
  const stopped = new AbortController();
  let notified = true;
  let wakeLoop: () => void = () => undefined;
  const wake = () => {
    notified = true;
    wakeLoop();
  };
  const listener = listenToOutbox({ pool: deps.db.listening, clock, log, wake });

  const waitForWake = async (milliseconds: number) => {
    const pause = new AbortController();
    wakeLoop = () => pause.abort();
    // A notification during the last poll may have come too late for it.
    if (!notified && !stopped.signal.aborted) await clock.sleep(milliseconds, pause.signal).catch(() => undefined);
    wakeLoop = () => undefined;
  };

  const run = async () => {
    let failing = false;
    while (!stopped.signal.aborted) {
      notified = false;
      try {
        await readModel.sync();
        readModel.setFollowed(listener.listening());
        failing = false;
      } catch (error) {
        readModel.setFollowed(false);
        if (!failing) log.warn({ err: error }, "read model poll failed");
        failing = true;
      }
      await waitForWake(listener.listening() && !failing ? listeningPollMs : fallbackPollMs);
    }
  };
  const running = run();

  return {
    stop: async () => {
      stopped.abort();
      readModel.setFollowed(false);
      wakeLoop();
      await Promise.all([running, listener.stop()]);
    },
  };
}
