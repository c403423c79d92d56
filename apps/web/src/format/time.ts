import { language, timeLocale } from "./locale.ts";

const relative = new Intl.RelativeTimeFormat(language, { style: "narrow", numeric: "auto" });
const thisYear = new Intl.DateTimeFormat(timeLocale, { day: "numeric", month: "short" });
const otherYear = new Intl.DateTimeFormat(timeLocale, { day: "numeric", month: "short", year: "numeric" });
const complete = new Intl.DateTimeFormat(timeLocale, { dateStyle: "medium", timeStyle: "long" });
const moment = new Intl.DateTimeFormat(timeLocale, {
  ...{ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
});
const clock = new Intl.DateTimeFormat(timeLocale, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});

/**
 * Formats a time: relative under a day, else the date. A time up to a minute in the future is now, because clocks
 * differ.
 */
export function formatTime(date: Date, now: Date): string {
  const seconds = Math.trunc((now.getTime() - date.getTime()) / 1000);
  const away = Math.abs(seconds);
  if (away < 60) return relative.format(-Math.max(0, seconds), "second");
  if (away < 3_600) return relative.format(-Math.trunc(seconds / 60), "minute");
  if (away < 86_400) return relative.format(-Math.trunc(seconds / 3_600), "hour");
  return (date.getFullYear() === now.getFullYear() ? thisYear : otherYear).format(date);
}

/** Formats date and time with seconds and time zone. */
export const formatCompleteTime = (date: Date): string => complete.format(date);

/** Formats the time of day with seconds. */
export const formatClock = (date: Date): string => clock.format(date);

/** Formats day and time without seconds, for times that may be in the future. */
export const formatMoment = (date: Date): string => moment.format(date);
