import { numberLocale, timeLocale } from "./locale.ts";
import { once } from "./once.ts";

/**
 * Returns a function that formats values. A browser needs milliseconds for the first format of a locale, so that formats are
 * created when they are used, and not while the scripts of a page start.
 */
function createFormat<Value>(create: () => { format(value: Value): string }): (value: Value) => string {
  const getFormat = once(create);
  return (value) => getFormat().format(value);
}

/** Returns a function that formats numbers in the locale of the site. */
export const createNumberFormat = (options: Intl.NumberFormatOptions) =>
  createFormat<number>(() => new Intl.NumberFormat(numberLocale, options));

/** Returns a function that formats times in the locale of the site. */
export const createTimeFormat = (options: Intl.DateTimeFormatOptions) =>
  createFormat<Date>(() => new Intl.DateTimeFormat(timeLocale, options));
