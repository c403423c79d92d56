import { type Browser, chromium } from "playwright-core";
import { findChromium, missingChromium } from "./findChromium.ts";

const args = [
  ...["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
  ...["--disable-component-update", "--disable-sync", "--no-proxy-server"],
];

/**
 * Starts a real Chromium without a window. Each `newContext()` of it is a browser of its own, without cookies.
 *
 * @throws Error in one line that says what to install.
 */
export async function launchChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error(missingChromium);
  // Its sandbox needs a user that is not root and a kernel that permits it; the pages are the tests' own.
  return await chromium.launch({ executablePath, args, headless: true, chromiumSandbox: false });
}
