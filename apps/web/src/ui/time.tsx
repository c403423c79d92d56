import { useSyncExternalStore } from "react";
import { serverLanguage } from "../format/locale.ts";
import { formatCompleteTime, formatTime } from "../format/time.ts";

const tickMs = 10_000;
const listeners = new Set<() => void>();
let now = Date.now();
const getNow = () => now;
let timer: ReturnType<typeof setInterval> | undefined;

/** One timer for all times of the page, which runs only while there are some. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, tickMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** A time: relative under a day, with date and time as its title. `value` is ISO 8601. */
export function Time({ value, className = "" }: { value: string; className?: string }) {
  const ticked = useSyncExternalStore(subscribe, getNow, getNow);
  const date = new Date(value);
  // A time after the last tick is not in the future.
  const shownAt = new Date(Math.max(ticked, Math.min(date.getTime(), Date.now())));
  // The server's HTML is cached, and a relative time would be wrong in it.
  if (serverLanguage !== undefined) return <time dateTime={value} className={`inline-block w-14 ${className}`} />;
  return (
    <time dateTime={value} title={formatCompleteTime(date)} className={`whitespace-nowrap ${className}`}>
      {formatTime(date, shownAt)}
    </time>
  );
}
