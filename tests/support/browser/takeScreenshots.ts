import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { getWallets } from "@slipway/dev/chain/wallets";
import { drawPicture } from "@slipway/dev/demo/drawPicture";
import { buildSite } from "@slipway/dev/site/buildSite";
import { type DevFile, readDevFile, repositoryRoot } from "@slipway/dev/stack/stackFolder";
import { StackError } from "@slipway/dev/stack/stackError";
import { startStack } from "@slipway/dev/startStack";
import { createClient } from "@slipway/sdk/createClient";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { unlimited } from "../conformance/unlimited.ts";
import { connect, findTradeBox } from "./journeys.ts";
import { launchChromium } from "./launchChromium.ts";
import { createTestWallet, type TestWallet } from "./testWallet.ts";

const folder = join(repositoryRoot, ".cache/shots");
const widths = [360, 1280];
const themes = ["light", "dark"] as const;

/** A picture to take: a page, and what is done on it before. */
type Picture = { name: string; path: string; act?: (page: Page, width: number) => Promise<unknown> };

/** The time that a page may take to load, and each step on it. */
const timeoutMs = 15_000;

const api = "/api/v1/launchpad";

/** The paths of routes.tsx: a new page is taken without a change here. @throws Error when the file is written otherwise */
function readRoutePaths(): string[] {
  const source = readFileSync(join(repositoryRoot, "apps/web/src/routes.tsx"), "utf8");
  const paths = [...source.matchAll(/^ {2}path: "(.+)",$/gm)].map(([, path]) => path!);
  const count = source.match(/= createRoute\(/g)?.length ?? 0;
  if (paths.length !== count) throw new Error(`routes.tsx has ${count} routes, but ${paths.length} paths were found.`);
  return paths;
}

/** Fills the parameters of a route; null where the demo has no value for one. An optional one is left out. */
function fillPath(path: string, values: Readonly<Record<string, string | undefined>>): string | null {
  const filled = path.replace(/\/\{-\$\w+\}/g, "").replace(/\$(\w+)/g, (all, name: string) => values[name] ?? all);
  return filled.includes("$") ? null : filled;
}

/** Values of the routes' parameters, from the demo's data and the wallet of its first token's creator. */
async function readParameters(dev: DevFile, context: BrowserContext, wallet: string) {
  const client = createClient({ baseUrl: dev.base_url, apiKey: dev.api_key });
  const [picture, { items: tokens }, { items: listings }] = await Promise.all([
    client.uploadImage({ file: await drawPicture("moon", 265) }),
    client.listTokens({ sort: "volume", limit: 50 }),
    client.getDirectory({ limit: 50 }),
  ]);
  const own = tokens.find(({ creator }) => creator?.toLowerCase() === wallet.toLowerCase()) ?? tokens[0];
  const intent = {
    ...{ name: "Evening Ferry", symbol: "FERRY", chain_id: dev.chain_id },
    description: "The last boat across the bay.",
    image_uri: picture.uri,
    recipients: [
      { provider: "wallet", wallet, share_bps: 6_000 },
      { provider: "wallet", wallet: dev.wallets[1]!.address, share_bps: 4_000 },
    ],
  };
  const headers = { origin: new URL(dev.site_url).origin, "idempotency-key": "screenshots-1" };
  const draft = await context.request.post(`${dev.site_url}${api}/intents`, { data: intent, headers });
  if (!draft.ok()) throw new Error(`the draft was refused: ${await draft.text()}`);
  const { id } = (await draft.json()) as { id: string };
  return {
    ...{ address: own?.address, draft: id, pair: "BTC_USDT" },
    id: listings.find(({ source }) => source === "own")?.id,
  };
}

/** Connects in a new browser and signs in; its storage is what the pictures' browsers begin with. */
async function signIn(browser: Browser, dev: DevFile, wallet: TestWallet): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await wallet.addTo(page);
  await page.goto(`${dev.site_url}/drafts`);
  await connect(page);
  const verified = page.waitForResponse((response) => response.url().endsWith("/siwe/verify") && response.ok());
  await page
    .getByRole("main")
    .getByRole("button", { name: /^Sign in/ })
    .click();
  await verified;
  await untilDrawn(page);
  return context;
}

/** Waits until nothing of the page is loading. */
async function untilDrawn(page: Page): Promise<void> {
  await page.locator("main h1, main h2").first().waitFor();
  const isDrawn = () =>
    page.evaluate(async () => {
      await document.fonts.ready;
      const pictures = [...document.images];
      // A picture of the whole page shows what is below the window, too.
      for (const picture of pictures) picture.loading = "eager";
      const waiting = document.querySelectorAll("main [aria-busy=true], main [class~='bg-line/60']").length;
      return waiting === 0 && pictures.every(({ complete }) => complete);
    });
  const deadline = Date.now() + timeoutMs;
  while (!(await isDrawn())) {
    if (Date.now() > deadline) throw new Error("something is still loading");
    await sleep(100);
  }
}

/** States of pages beside the pages as they open. */
function getMorePictures(token: string): Picture[] {
  const openTrade = async (page: Page, width: number) => {
    if (width < 1024) await page.getByRole("button", { name: "Buy", exact: true }).click();
    await findTradeBox(page).getByLabel("You pay").fill("0.05");
  };
  const untilQuoted = (page: Page) =>
    findTradeBox(page)
      .getByRole("button", { name: /^Review/, disabled: false })
      .waitFor();
  return [
    { name: "not-found", path: "/no/such/page" },
    { name: "token-unknown", path: `/t/0x${"0".repeat(39)}1` },
    { name: "explore-no-match", path: "/?q=no%20such%20token" },
    { name: "gallery-random", path: "/gallery?sort=random&seed=7" },
    { name: "token-holders", path: `/t/${token}?tab=holders` },
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

/** Takes all pictures of a stack. @returns the files, and what could not be taken */
async function takeScreenshots(dev: DevFile, only: RegExp): Promise<{ files: string[]; missing: string[] }> {
  const [files, missing]: [string[], string[]] = [[], []];
  const browser = await launchChromium();
  try {
    const { privateKey, address: owner } = getWallets("creators")[0]!;
    const wallet = createTestWallet({ rpcUrl: dev.rpc_url, chainId: dev.chain_id, privateKey });
    const signedIn = await signIn(browser, dev, wallet);
    const values = await readParameters(dev, signedIn, owner);
    const storageState = await signedIn.storageState();
    const routes = readRoutePaths().map((path): Picture | null => {
      const filled = fillPath(path, { ...values, ...(path.startsWith("/wallet") ? { address: owner } : {}) });
      if (filled === null) missing.push(`${path}: the demo has no value for it`);
      const name = path.replace(/[^a-z]+/gi, "-").replace(/^-|-$/g, "");
      return filled === null ? null : { name: name === "" ? "explore" : name, path: filled };
    });
    const pictures = [...routes.filter((picture) => picture !== null), ...getMorePictures(values.address ?? "")];
    for (const colorScheme of themes) {
      for (const width of widths) {
        const viewport = { width, height: width < 600 ? 780 : 900 };
        const context = await browser.newContext({ storageState, colorScheme, viewport, reducedMotion: "reduce" });
        for (const picture of pictures.filter(({ name }) => only.test(name))) {
          const file = join(folder, `${picture.name}-${width}-${colorScheme}.png`);
          const page = await context.newPage();
          page.setDefaultTimeout(timeoutMs);
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

/** The stack that runs in this checkout, or a temporary one with the demo. */
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
 * `npm run web:shots [pattern]`: a picture of each page of the site, at 360 and 1280 pixels, light and dark, with the demo's
 * data and a connected wallet, in `.cache/shots`. With a pattern only those whose name matches it.
 */
async function main(): Promise<void> {
  const only = new RegExp(process.argv[2] ?? "");
  if (process.argv[2] === undefined) rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { dev, close } = await openStack();
  try {
    const { files, missing } = await takeScreenshots(dev, only);
    for (const file of files) process.stdout.write(`${relative(process.cwd(), file)}\n`);
    for (const line of missing) process.stderr.write(`not taken: ${line}\n`);
    if (missing.length > 0) process.exitCode = 1;
  } finally {
    await close();
  }
}

await main();
