import { explore } from "./en/explore.ts";
import { live } from "./en/live.ts";
import { shell } from "./en/shell.ts";
import { ui } from "./en/ui.ts";
import { walletButton } from "./en/walletButton.ts";

/** Texts of the first page and of the frame of every page. */
export const enFirst = {
  explore,
  live,
  shell,
  ui,
  walletButton,
};
