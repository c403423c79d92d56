import { importFile } from "../ui/importFile.ts";
import { explore } from "./en/explore.ts";
import { live } from "./en/live.ts";
import { shell } from "./en/shell.ts";
import { ui } from "./en/ui.ts";
import { walletButton } from "./en/walletButton.ts";
import type { enPages } from "./enPages.ts";

/** The texts that the first page and the frame of every page need. */
const first = {
  explore,
  live,
  shell,
  ui,
  walletButton,
};

/** What another language must have: `export const de = { ... } satisfies Messages`. */
export type Messages = typeof first & typeof enPages;

/**
 * Every text of the site in English: strings, and typed functions where a text has a number or a name in it. Those of
 * `enPages` are added by `loadPageTexts`, with the first page that needs them.
 */
export const en = first as Messages;

/** Loads the texts of all pages but the first one, once; routes wait for it beside the page itself. */
export async function loadPageTexts(): Promise<void> {
  const { enPages } = await importFile(() => import("./enPages.ts"));
  Object.assign(first, enPages);
}
