import { delimiter, join } from "node:path";
import { installPackage, isExecutable } from "../findProgram.ts";

/** Debian's Chromium without the desktop parts: with it, the suite takes two thirds of the time. */
const headlessShell = "chromium-headless-shell";
/** Program names in PATH, the preferred one first. */
const names = [headlessShell, "chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome"];

/** The paths of other systems' installers. */
const paths = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

/** Returns the Chromium or Chrome of this machine: CHROMIUM_PATH, otherwise one in PATH; null without one. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | null {
  if (env.CHROMIUM_PATH) return isExecutable(env.CHROMIUM_PATH) ? env.CHROMIUM_PATH : null;
  const folders = (env.PATH ?? "").split(delimiter).filter(Boolean);
  const candidates = [...names.flatMap((name) => folders.map((folder) => join(folder, name))), ...paths];
  return candidates.find(isExecutable) ?? null;
}

/** The advice for a machine without Chromium, in one line. */
export const missingChromium =
  "No Chromium was found: install it (Debian: apt-get install -y chromium), or set CHROMIUM_PATH to a Chrome or Chromium.";

/** Installs Debian's Chromium if it is missing and this process may install it. `launchChromium` reports a failure. */
export function installChromium(env: NodeJS.ProcessEnv = process.env): void {
  if (env.CHROMIUM_PATH || findChromium(env) !== null || process.getuid?.() !== 0) return;
  process.stdout.write("installing Chromium with apt-get, which the browser tests drive (about a minute)\n");
  installPackage([headlessShell, "chromium"]);
}
