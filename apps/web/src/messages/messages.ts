import { language } from "../format/locale.ts";
import { importFile } from "../ui/importFile.ts";
import { enFirst } from "./enFirst.ts";
import type { enPages } from "./enPages.ts";

/** The type of a language's texts. */
export type Messages = typeof enFirst & typeof enPages;

/**
 * All texts of the site in the chosen language: strings, and typed functions for texts with numbers or names. Starts with
 * English; `loadFirstTexts` replaces it by another language before the first render. `loadPageTexts` adds the texts of all
 * other pages with the first page that needs them.
 */
export const messages = enFirst as Messages;

/** Loads the texts of the first page if the language is not English. Without them, the site starts in English. */
export async function loadFirstTexts(): Promise<void> {
  if (language === "es") Object.assign(messages, (await importFile(() => import("./esFirst.ts"))).esFirst);
}

/** Loads the texts of all pages except the first one, once. Routes wait for it together with the page. */
export async function loadPageTexts(): Promise<void> {
  Object.assign(
    messages,
    language === "es"
      ? (await importFile(() => import("./esPages.ts"))).esPages
      : (await importFile(() => import("./enPages.ts"))).enPages,
  );
}
