/** What happens to the page itself, as far as its stream depends on it. */
export type PageEvents = {
  isHidden(): boolean;
  isOnline(): boolean;
  /** Calls back before the next frame is drawn. */
  requestFrame(callback: () => void): void;
  /** Returns a function that ends the listening. */
  listen(on: Record<"onLoad" | "onVisibility" | "onOffline" | "onOnline", () => void>): () => void;
};

/** Those of the browser. */
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
