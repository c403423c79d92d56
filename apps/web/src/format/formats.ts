import { numberLocale, timeLocale } from "./locale.ts";
import { once } from "./once.ts";

/**
 * Returns a function that formats numbers in the locale of the site. A browser needs milliseconds for the first format
 * of a locale, so that formats are created when they are used, and not while the scripts of a page start.
 */
export function createNumberFormat(options: Intl.NumberFormatOptions): (value: number) => string {
  const getFormat = once(() => new Intl.NumberFormat(numberLocale, options));
  return (value) => getFormat().format(value);
}

/** Returns a function that formats times in the locale of the site; see `createNumberFormat`. */
export function createTimeFormat(options: Intl.DateTimeFormatOptions): (date: Date) => string {
  const getFormat = once(() => new Intl.DateTimeFormat(timeLocale, options));
  return (date) => getFormat().format(date);
}
