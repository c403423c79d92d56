import { type Language, languages } from "@slipway/protocol/languages";
import { once } from "./once.ts";

/** The language of a build that renders first paints on the server; undefined in a browser. */
export const serverLanguage = import.meta.env?.SERVER_LANGUAGE as Language | undefined;

const storageKey = "language";

/** Returns the stored choice, or null. */
function readChoice(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}

/** Stores the language of the site and loads the page again in it. Forms keep their texts in the browser. */
export function chooseLanguage(choice: Language): void {
  try {
    localStorage.setItem(storageKey, choice);
  } catch {
    // Without storage, the browser's language stays.
  }
  location.reload();
}

/**
 * Returns the language of the site: the choice, else the first of the browser's languages that the site has, else English.
 *
 * @param browser - The browser's languages (BCP 47), the preferred one first.
 */
export function getLanguage(choice: string | null, browser: readonly string[]): Language {
  const wanted = [choice, ...browser].map((each) => languages.find((known) => each?.split("-")[0] === known));
  return wanted.find((each) => each !== undefined) ?? "en";
}

/** The language of the site, until the page loads again. */
export const language = serverLanguage ?? getLanguage(readChoice(), navigator.languages ?? []);

/**
 * Returns the locale of times and dates: the browser's first language if it is the site's language, else the site's
 * language with 24 hours and the day before the month. A German browser then shows `26 Nov 2026, 18:07`.
 *
 * @param first - The browser's first language (BCP 47).
 */
export function getTimeLocale(first: string | undefined, site: Language = "en"): string {
  if (first?.split("-")[0] === site) return first;
  return site === "en" ? "en-GB" : site;
}

export const timeLocale = getTimeLocale(serverLanguage ?? navigator.language, language);

/** The locale of numbers: in English the same for everyone, in Spanish that of the browser's country. */
export const numberLocale = language === "en" ? "en" : timeLocale;

/** Returns the signs between the groups of whole digits and before the decimals. */
export const getSigns = once(() => {
  const parts = new Intl.NumberFormat(numberLocale).formatToParts(12_345.6);
  const find = (type: string) => parts.find((part) => part.type === type)!.value;
  return { group: find("group"), decimal: find("decimal") };
});

/** Writes a number that JavaScript formatted, such as `0.5`, with the decimal sign of the site's language. */
export const withDecimalSign = (text: string): string => text.replace(".", getSigns().decimal);
