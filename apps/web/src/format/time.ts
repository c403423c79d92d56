import { createTimeFormat } from "./formats.ts";
import { language } from "./locale.ts";
import { once } from "./once.ts";

const getRelative = once(() => new Intl.RelativeTimeFormat(language, { style: "narrow", numeric: "auto" }));
const thisYear = createTimeFormat({ day: "numeric", month: "short" });
const otherYear = createTimeFormat({ day: "numeric", month: "short", year: "numeric" });

/**
 * Formats a time: relative under a day, else the date. A time up to a minute in the future is now, because clocks
 * differ.
 */
export function formatTime(date: Date, now: Date): string {
  const seconds = Math.trunc((now.getTime() - date.getTime()) / 1000);
  const away = Math.abs(seconds);
  if (away < 60) return getRelative().format(-Math.max(0, seconds), "second");
  if (away < 3_600) return getRelative().format(-Math.trunc(seconds / 60), "minute");
  if (away < 86_400) return getRelative().format(-Math.trunc(seconds / 3_600), "hour");
  return (date.getFullYear() === now.getFullYear() ? thisYear : otherYear)(date);
}

/** Formats date and time with seconds and time zone. */
export const formatCompleteTime = createTimeFormat({ dateStyle: "medium", timeStyle: "long" });

/** Formats the time of day with seconds. */
export const formatClock = createTimeFormat({
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});

/** Formats day and time without seconds, for times that may be in the future. */
export const formatMoment = createTimeFormat({
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});
