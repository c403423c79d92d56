import type { Runtime } from "../runtime.ts";
import type { ReadModel } from "./createReadModel.ts";
import { listenToOutbox } from "../live/listenToOutbox.ts";

/** How often it is looked without a wake-up: the index's own state changes without one. */
const listeningPollMs = 500;
const blindPollMs = 100;

/**
 * Keeps the process's read model in step with the outbox, so that requests find it so. Without this every request
 * looks by itself, which is right but costs it two small queries.
 */
export function startReadModel(deps: Pick<Runtime, "clock" | "log" | "db"> & { readModel: ReadModel }): {
  stop(): Promise<void>;
} {
  const { clock, log } = deps;
  const model = deps.readModel;
  const stopped = new AbortController();
  let dirty = true;
  let wakeLoop: () => void = () => undefined;
  const wake = () => {
    dirty = true;
    wakeLoop();
  };
  const listener = listenToOutbox({ pool: deps.db.listening, clock, log, wake });

  const waitForWake = async (milliseconds: number) => {
    const pause = new AbortController();
    wakeLoop = () => pause.abort();
    // Woken while the last look was under way: what it said may have come too late for it.
    if (!dirty && !stopped.signal.aborted) await clock.sleep(milliseconds, pause.signal).catch(() => undefined);
    wakeLoop = () => undefined;
  };

  const run = async () => {
    let failing = false;
    while (!stopped.signal.aborted) {
      dirty = false;
      try {
        await model.sync();
        model.setFollowed(listener.listening());
        failing = false;
      } catch (error) {
        model.setFollowed(false);
        if (!failing) log.warn({ err: error }, "the read model cannot look for changes");
        failing = true;
      }
      await waitForWake(listener.listening() && !failing ? listeningPollMs : blindPollMs);
    }
  };
  const running = run();

  return {
    stop: async () => {
      stopped.abort();
      model.setFollowed(false);
      wakeLoop();
      await Promise.all([running, listener.stop()]);
    },
  };
}
