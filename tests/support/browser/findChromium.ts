import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Debian's Chromium without the parts of a desktop: the suite takes two thirds of the time with it. */
const headlessShell = "chromium-headless-shell";
/** Names of the program in PATH, the preferred one first. */
const names = [headlessShell, "chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome"];

/** Where installers of other systems put it. */
const paths = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

const isExecutable = (path: string) => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** The Chromium or Chrome of this machine: the one that CHROMIUM_PATH names, else one in PATH; null without one. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | null {
  if (env.CHROMIUM_PATH) return isExecutable(env.CHROMIUM_PATH) ? env.CHROMIUM_PATH : null;
  const folders = (env.PATH ?? "").split(delimiter).filter(Boolean);
  const candidates = [...names.flatMap((name) => folders.map((folder) => join(folder, name))), ...paths];
  return candidates.find(isExecutable) ?? null;
}

/** What to do on a machine without Chromium, in one line. */
export const missingChromium =
  "No Chromium was found: install it (Debian: apt-get install -y chromium), or set CHROMIUM_PATH to a Chrome or Chromium.";

/** Installs Debian's Chromium where it is missing and this process may do so. Its failure is reported by `launchChromium`. */
export function installChromium(env: NodeJS.ProcessEnv = process.env): void {
  if (env.CHROMIUM_PATH || findChromium(env) !== null || process.getuid?.() !== 0) return;
  process.stdout.write("installing Chromium with apt-get, which the browser tests drive (about a minute)\n");
  // Another run of the tests may be installing it: dpkg's lock is waited for.
  const aptGet = (...args: string[]) =>
    spawnSync("apt-get", ["-qq", "-o", "DPkg::Lock::Timeout=300", ...args], {
      env: { ...env, DEBIAN_FRONTEND: "noninteractive" },
      stdio: "ignore",
      timeout: 600_000,
    }).status === 0;
  const install = () =>
    [headlessShell, "chromium"].some((name) => aptGet("install", "-y", "--no-install-recommends", name));
  if (install()) return;
  // Without package lists, as in an image of a container.
  aptGet("update");
  install();
}
