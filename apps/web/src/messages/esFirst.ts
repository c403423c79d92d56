import type { enFirst } from "./enFirst.ts";
import { explore } from "./es/explore.ts";
import { live } from "./es/live.ts";
import { shell } from "./es/shell.ts";
import { ui } from "./es/ui.ts";
import { walletButton } from "./es/walletButton.ts";

/** Texts of the first page and of the frame of every page, in Spanish. */
export const esFirst: typeof enFirst = { explore, live, shell, ui, walletButton };
