/**
 * The locale of times and dates: the browser's first language if it is the site's language, else the site's language with
 * 24 hours and the day before the month. A German browser then shows `26 Nov 2026, 18:07`.
 */
export const timeLocale = getTimeLocale(navigator.language);

/** @param first - The browser's first language (BCP 47). */
export function getTimeLocale(first: string | undefined): string {
  return first !== undefined && /^en(-|$)/.test(first) ? first : "en-GB";
}
