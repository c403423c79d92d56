import { buildSite } from "@slipway/dev/site/buildSite";
import { installChromium } from "./findChromium.ts";

/** Vitest's global setup of the project `browser`: prepares the browser, and the site of these sources. */
export async function setup(): Promise<void> {
  installChromium();
  await buildSite();
}
