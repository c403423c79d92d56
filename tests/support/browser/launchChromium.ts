import { type Browser, chromium } from "playwright-core";
import { findChromium, missingChromium } from "./findChromium.ts";

const args = [
  ...["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
  ...["--disable-component-update", "--disable-sync", "--no-proxy-server"],
];

/**
 * Starts a real Chromium without a window. Each `newContext()` is a separate browser, without cookies.
 *
 * @throws Error with one line of advice on the installation.
 */
export async function launchChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error(missingChromium);
  // The sandbox needs a user other than root and support in the kernel; the pages are the tests' own.
  return await chromium.launch({ executablePath, args, headless: true, chromiumSandbox: false });
}
