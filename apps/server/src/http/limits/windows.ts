/** Subjects retained at once; a caller chooses how many there are, so bounded: about 100 bytes each. */
const maxSubjects = 100_000;

/** A subject's current window, with what this process may still allow in it. */
export type Window = { remaining: number; resetAtMs: number };

/**
 * Windows of one policy in this process's memory. Synchronous, without timers, and bounded: all windows are equally
 * long, so those that were opened first end first and are dropped when another is opened.
 */
export function createWindows<W extends Window>(windowMs: number, capacity = maxSubjects) {
  const windows = new Map<string, W>();
  // A window that ends later than one opened now was opened before the machine's clock was set back.
  const isOpen = ({ resetAtMs }: W, nowMs: number) => nowMs < resetAtMs && resetAtMs <= nowMs + windowMs;

  return {
    get(subject: string, nowMs: number): W | undefined {
      const window = windows.get(subject);
      return window !== undefined && isOpen(window, nowMs) ? window : undefined;
    },

    open(subject: string, window: W, nowMs: number): W {
      windows.delete(subject);
      for (const [oldest, other] of windows) {
        if (isOpen(other, nowMs) && windows.size < capacity) break;
        windows.delete(oldest);
      }
      windows.set(subject, window);
      return window;
    },

    /** Windows in memory, those that have ended included. */
    size: () => windows.size,
  };
}
