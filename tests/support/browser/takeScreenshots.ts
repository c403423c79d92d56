import { mkdirSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { getWallets } from "@slipway/dev/chain/wallets";
import { buildSite } from "@slipway/dev/site/buildSite";
import { StackError } from "@slipway/dev/stack/stackError";
import { type DevFile, readDevFile, repositoryRoot } from "@slipway/dev/stack/stackFolder";
import { startStack } from "@slipway/dev/startStack";
import type { Page } from "playwright-core";
import { unlimited } from "../conformance/unlimited.ts";
import { fillPath, readParameters, readRoutePaths, signInOn, untilDrawn } from "./demoPages.ts";
import { findTradeBox } from "./journeys.ts";
import { launchChromium } from "./launchChromium.ts";
import { createTestWallet } from "./testWallet.ts";

const folder = join(repositoryRoot, ".cache/shots");
const themes = ["light", "dark"] as const;

/** A screenshot to take: a page, and the steps before. */
type Picture = { name: string; path: string; act?: (page: Page, width: number) => Promise<unknown> };

type Options = { only: RegExp; widths: readonly number[]; language: string };

/** States of pages besides their initial state. */
function getMorePictures(token: string): Picture[] {
  return [
    { name: "not-found", path: "/no/such/page" },
    { name: "token-unknown", path: `/t/0x${"0".repeat(39)}1` },
    { name: "explore-no-match", path: "/?q=no%20such%20token" },
    { name: "explore-ascending", path: "/?sort=market_cap&direction=asc" },
    { name: "gallery-random", path: "/gallery?sort=random&seed=7" },
    { name: "token-holders", path: `/t/${token}?tab=holders` },
    { name: "token-facts", path: `/t/${token}?tab=facts` },
  ];
}

/** States of pages after steps of the user, which find buttons by their English texts. */
function getActedPictures(token: string): Picture[] {
  const openTrade = async (page: Page, width: number) => {
    if (width < 1024) await page.getByRole("button", { name: "Buy", exact: true }).click();
    await findTradeBox(page).getByLabel("You pay").fill("0.05");
  };
  const untilQuoted = (page: Page) =>
    findTradeBox(page)
      .getByRole("button", { name: /^Review/, disabled: false })
      .waitFor();
  return [
    {
      name: "token-quote",
      path: `/t/${token}`,
      act: async (page, width) => {
        await openTrade(page, width);
        await untilQuoted(page);
      },
    },
    {
      name: "token-review",
      path: `/t/${token}`,
      act: async (page, width) => {
        await openTrade(page, width);
        await untilQuoted(page);
        await findTradeBox(page)
          .getByRole("button", { name: /^Review/ })
          .click();
        await page
          .getByRole("dialog")
          .getByRole("button", { name: /^Buy for/ })
          .waitFor();
      },
    },
    {
      name: "launch-faults",
      path: "/launch",
      act: async (page) => {
        await page.getByRole("button", { name: "Review", exact: true }).click();
        await page.locator("main [aria-invalid=true]").first().waitFor();
      },
    },
  ];
}

/** Takes all screenshots of a stack. @returns the files, and the screenshots that could not be taken */
async function takeScreenshots(
  dev: DevFile,
  { only, widths, language }: Options,
): Promise<{ files: string[]; missing: string[] }> {
  const [files, missing]: [string[], string[]] = [[], []];
  const browser = await launchChromium();
  try {
    const { privateKey, address: owner } = getWallets("creators")[0]!;
    const wallet = createTestWallet({ rpcUrl: dev.rpc_url, chainId: dev.chain_id, privateKey });
    const signedIn = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    await signInOn(await signedIn.newPage(), dev.site_url, wallet);
    const values = await readParameters(dev, signedIn, owner);
    const storageState = await signedIn.storageState();
    const routes = readRoutePaths().map((path): Picture | null => {
      const filled = fillPath(path, { ...values, ...(path.startsWith("/wallet") ? { address: owner } : {}) });
      if (filled === null) missing.push(`${path}: the demo has no value for it`);
      const name = path.replace(/[^a-z]+/gi, "-").replace(/^-|-$/g, "");
      return filled === null ? null : { name: name === "" ? "explore" : name, path: filled };
    });
    const token = values.address ?? "";
    const acted = language === "en" ? getActedPictures(token) : [];
    const pictures = [...routes.filter((picture) => picture !== null), ...getMorePictures(token), ...acted];
    const suffix = language === "en" ? "" : `-${language}`;
    for (const colorScheme of themes) {
      for (const width of widths) {
        const viewport = { width, height: width < 600 ? 780 : 900 };
        const look = { colorScheme, viewport, locale: language, reducedMotion: "reduce" } as const;
        const context = await browser.newContext({ storageState, ...look });
        for (const picture of pictures.filter(({ name }) => only.test(name))) {
          const file = join(folder, `${picture.name}-${width}-${colorScheme}${suffix}.png`);
          const page = await context.newPage();
          page.setDefaultTimeout(15_000);
          await wallet.addTo(page);
          try {
            await page.goto(`${dev.site_url}${picture.path}`);
            await untilDrawn(page);
            await picture.act?.(page, width);
            await page.screenshot({ path: file, fullPage: picture.act === undefined, animations: "disabled" });
            files.push(file);
          } catch (error) {
            missing.push(`${relative(repositoryRoot, file)}: ${String((error as Error).message).split("\n")[0]}`);
          }
          await page.close();
        }
        await context.close();
      }
    }
  } finally {
    await browser.close();
  }
  return { files, missing };
}

/** Returns the stack that runs in this checkout, or a temporary one with the demo. */
async function openStack(): Promise<{ dev: DevFile; close: () => Promise<void> }> {
  try {
    return { dev: readDevFile(), close: async () => undefined };
  } catch (error) {
    if (!(error instanceof StackError)) throw error;
  }
  process.stdout.write("No local stack runs here: one is started for the pictures.\n");
  const site = await buildSite();
  const stack = await startStack({ demo: true, serverEnvironment: { ...unlimited, WEB_DIST: site.folder } });
  return { dev: stack.devFile, close: () => stack.stop() };
}

/**
 * `npm run web:shots [pattern]`: takes a screenshot of each page of the site, at 360 and 1280 pixels, light and dark,
 * with the demo's data and a connected wallet, in `.cache/shots`. With a pattern, only screenshots whose name matches.
 * `--widths 768,1920` takes other widths, `--language es` the site in another language.
 */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      widths: { type: "string", default: "360,1280" },
      language: { type: "string", default: "en" },
    },
  });
  const only = new RegExp(positionals[0] ?? "");
  const options = { only, widths: values.widths.split(",").map(Number), language: values.language };
  if (positionals[0] === undefined) rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { dev, close } = await openStack();
  try {
    const { files, missing } = await takeScreenshots(dev, options);
    for (const file of files) process.stdout.write(`${relative(process.cwd(), file)}\n`);
    for (const line of missing) process.stderr.write(`not taken: ${line}\n`);
    if (missing.length > 0) process.exitCode = 1;
  } finally {
    await close();
  }
}

await main();
