/** The page's state and events that the stream depends on. */
export type PageEvents = {
  isHidden(): boolean;
  isOnline(): boolean;
  /** Calls back before the next frame. */
  requestFrame(callback: () => void): void;
  /** Returns a function that removes the listeners. */
  listen(on: Record<"onLoad" | "onVisibility" | "onOffline" | "onOnline", () => void>): () => void;
};

/** The browser's page events. */
export const browserPage: PageEvents = {
  isHidden: () => document.hidden,
  isOnline: () => navigator.onLine,
  requestFrame: (callback) => requestAnimationFrame(callback),
  listen({ onLoad, onVisibility, onOffline, onOnline }) {
    const end = new AbortController();
    const { signal } = end;
    if (document.readyState === "complete") queueMicrotask(onLoad);
    else window.addEventListener("load", onLoad, { once: true, signal });
    document.addEventListener("visibilitychange", onVisibility, { signal });
    window.addEventListener("offline", onOffline, { signal });
    window.addEventListener("online", onOnline, { signal });
    return () => end.abort();
  },
};
