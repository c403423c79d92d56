import { ApiError } from "@slipway/sdk/apiError";

/** Whether what is shown is current; `asOf` is the time up to which it is, in milliseconds, while it is paused. */
export type LiveStatus = { state: "off" | "connecting" | "live" } | { state: "paused"; asOf: number };

/** A stream that sends nothing for so long is paused; the service sends something every 15 seconds. */
const silenceMs = 45_000;

/** Judges by a stream's interruptions whether what is shown is current. */
export function createLiveStatus(isOnline: () => boolean) {
  const listeners = new Set<() => void>();
  let status: LiveStatus = { state: "off" };
  let silence: ReturnType<typeof setTimeout> | undefined;

  /** The first pause decides since when it is one. */
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
    off: () => set({ state: "off" }),
    /** A stream is being opened. What was paused is so until it is open. */
    connecting() {
      if (status.state === "off") set({ state: "connecting" });
    },
    live() {
      forgetLoss();
      set({ state: "live" });
    },
    /** A connection was lost, and another one is tried: it is paused when that takes long, or cannot help. */
    lost(error: unknown) {
      if (status.state === "paused") return;
      const now = Date.now();
      if (error instanceof ApiError && error.code === "index_unavailable") return pause(now);
      // The stream ends itself after silence: nothing is known since.
      if (error instanceof Error && error.message.includes("sends no messages")) return pause(now - silenceMs);
      if (!isOnline()) return pause(now);
      forgetLoss();
      silence = setTimeout(() => pause(now), silenceMs);
    },
    forgetLoss,
  };
}
