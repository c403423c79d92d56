import { ApiError } from "@slipway/sdk/apiError";
import { type LiveStatus, off } from "./liveStatus.ts";

/** A stream without messages for this long is paused; the service sends one every 15 seconds. */
const silenceMs = 45_000;

/** Derives from a stream's interruptions whether the shown data are current. */
export function createLiveStatus(isOnline: () => boolean) {
  const listeners = new Set<() => void>();
  let status = off;
  let silence: ReturnType<typeof setTimeout> | undefined;

  /** Sets the status. Later pauses do not change `asOf`. */
  const set = (next: LiveStatus) => {
    if (next.state === status.state) return;
    status = next;
    for (const listener of listeners) listener();
  };
  const pause = (asOf = Date.now()) => set({ state: "paused", asOf });
  const forgetLoss = () => clearTimeout(silence);

  return {
    get: (): LiveStatus => status,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    pause,
    off: () => set(off),
    /** Called when a stream is opening. A paused status stays paused until the stream is open. */
    connecting() {
      if (status.state === "off") set({ state: "connecting" });
    },
    live() {
      forgetLoss();
      set({ state: "live" });
    },
    /**
     * Called when a connection is lost and another one is tried: pauses after `silenceMs`, or at once if a retry cannot
     * help.
     */
    lost(error: unknown) {
      if (status.state === "paused") return;
      const now = Date.now();
      if (error instanceof ApiError && error.code === "index_unavailable") return pause(now);
      // The stream ended after silence: the data are as old as the silence.
      if (error instanceof Error && error.message.includes("sends no messages")) return pause(now - silenceMs);
      if (!isOnline()) return pause(now);
      forgetLoss();
      silence = setTimeout(() => pause(now), silenceMs);
    },
    forgetLoss,
  };
}
