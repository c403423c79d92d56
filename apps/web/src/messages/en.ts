import { importFile } from "../ui/importFile.ts";
import { explore } from "./en/explore.ts";
import { live } from "./en/live.ts";
import { shell } from "./en/shell.ts";
import { ui } from "./en/ui.ts";
import { walletButton } from "./en/walletButton.ts";
import type { enPages } from "./enPages.ts";

/** Texts of the first page and of the frame of every page. */
const first = {
  explore,
  live,
  shell,
  ui,
  walletButton,
};

/** The type of a language's texts: `export const de = { ... } satisfies Messages`. */
export type Messages = typeof first & typeof enPages;

/**
 * All texts of the site in English: strings, and typed functions for texts with numbers or names. `loadPageTexts` adds
 * the texts of `enPages` with the first page that needs them.
 */
export const en = first as Messages;

/** Loads the texts of all pages except the first one, once. Routes wait for it together with the page. */
export async function loadPageTexts(): Promise<void> {
  const { enPages } = await importFile(() => import("./enPages.ts"));
  Object.assign(first, enPages);
}
