import type { LiveMessage } from "@slipway/sdk/leanStreamEvents";
import type { createLiveHub } from "./createLiveHub.ts";
import { off } from "./liveStatus.ts";
import type { LiveTarget } from "./liveTargets.ts";

type LoadedHub = ReturnType<typeof createLiveHub>;

/** The part of the hub that components use. */
export type LiveHub = Pick<LoadedHub, "getStatus" | "subscribe" | "watch" | "onMessage">;

/**
 * Creates a hub whose code loads after the page, because the stream opens only then. Whatever a component asks for
 * before is done when the code is there.
 *
 * @param load - Loads the code and creates the hub.
 */
export function createLazyHub(load: () => Promise<LoadedHub>): LiveHub {
  let hub: LoadedHub | null = null;
  const asked = new Set<(loaded: LoadedHub) => void>();

  const start = () =>
    void load().then(
      (loaded) => {
        hub = loaded;
        for (const task of asked) task(loaded);
        asked.clear();
      },
      () => addEventListener("online", start, { once: true }),
    );
  if (document.readyState === "complete") start();
  else addEventListener("load", start, { once: true });

  /** Does a task with the hub, now or when it is loaded. Returns a function that ends it. */
  const use = (task: (loaded: LoadedHub) => () => void): (() => void) => {
    if (hub !== null) return task(hub);
    let end = () => {};
    const later = (loaded: LoadedHub) => {
      end = task(loaded);
    };
    asked.add(later);
    return () => {
      asked.delete(later);
      end();
    };
  };
  return {
    getStatus: () => hub?.getStatus() ?? off,
    subscribe: (listener: () => void) => use((loaded) => loaded.subscribe(listener)),
    watch: (target: LiveTarget) => use((loaded) => loaded.watch(target)),
    onMessage: (listener: (message: LiveMessage) => void) => use((loaded) => loaded.onMessage(listener)),
  };
}
