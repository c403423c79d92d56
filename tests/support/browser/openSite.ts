import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { rpcRequest } from "@slipway/dev/chain/rpcRequest";
import type { Wallet } from "@slipway/dev/chain/wallets";
import { buildSite } from "@slipway/dev/site/buildSite";
import type { Stack } from "@slipway/dev/startStack";
import type { default as Axe, RunOnly } from "axe-core";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { parseEther, toHex } from "viem";
import { generatePrivateKey } from "viem/accounts";
import { sessionKey } from "../../../apps/web/src/session/session.ts";
import { walletKey } from "../../../apps/web/src/wallet/connection.ts";
import { signIn } from "../conformance/browser.ts";
import { unlimited } from "../conformance/unlimited.ts";
import { startBuiltStack } from "../startBuiltStack.ts";
import { launchChromium } from "./launchChromium.ts";
import { createPagePool, defaultViewport, newPage, type PagePool } from "./pagePool.ts";
import { createTestWallet, type TestWallet, type TestWalletOptions } from "./testWallet.ts";

/** The real local stack with its built site, and a browser. One for each test file. */
export type OpenSite = {
  stack: Stack;
  url: string;
  browser: Browser;
  createWallet(wallet: Pick<Wallet, "privateKey">, options?: Partial<TestWalletOptions>): TestWallet;
  /** Creates a wallet with 100 ETH that no other test uses: its first transaction has the nonce 0. */
  takeWallet(options?: Partial<TestWalletOptions>): Promise<TestWallet>;
  /** Opens a page in a separate browser. */
  openPage(options?: OpenPageOptions): Promise<SitePage>;
  close(): Promise<void>;
};

export type OpenPageOptions = {
  wallets?: readonly TestWallet[];
  /**
   * A wallet that is connected and signed in, as after an earlier visit. `connection.test.ts` tests how a visitor signs
   * in, which takes more CPU time than a trade.
   */
  signedIn?: TestWallet;
  /** The path to open immediately. */
  path?: string;
  context?: BrowserContextOptions;
  /** Opens another tab of this browser, with its cookies and storage. */
  beside?: SitePage;
};

/** A page, with the problems that were found in it. */
export type SitePage = {
  page: Page;
  context: BrowserContext;
  goto(path: string): Promise<void>;
  /** Goes to a page like a link of the site, which takes less time than `goto`: the document stays. */
  follow(path: string): Promise<void>;
  /** Ends the page. A later test receives it empty, unless the test chose the browser's properties or its clock. */
  close(): Promise<void>;
  /**
   * Returns console messages, errors and requests to other origins. Answers of the API with a status in `statuses` are
   * expected, because Chromium logs every rejected request.
   */
  problems(statuses?: readonly number[]): string[];
  /**
   * Returns the current WCAG 2.2 AA violations of the page, one line each; of all rules, or only of rules about
   * colours.
   */
  findBarriers(rules?: "all" | "colours"): Promise<string[]>;
};

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The rules of WCAG 2.2 AA. */
const allRules: RunOnly = { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] };
/** The rules whose result depends on colours. */
const colourRules: RunOnly = { type: "rule", values: ["color-contrast", "link-in-text-block"] };

/**
 * Starts the site; the caller closes it. The exchange, whose markets occupy a quarter of a core, runs only with the whole
 * demo, or if a test needs it.
 */
export async function openSite(
  options: { demo?: "tokens" | boolean; exchange?: boolean; environment?: Record<string, string> } = {},
): Promise<OpenSite> {
  const demo = options.demo ?? "tokens";
  const { folder } = await buildSite();
  const serverEnvironment = { ...unlimited, NODE_ENV: "test", WEB_DIST: folder, ...options.environment };
  const [browser, stack] = await Promise.all([
    launchChromium(),
    startBuiltStack({
      demo,
      exchange: options.exchange ?? demo === true,
      serverEnvironment,
    }),
  ]);
  const url = stack.siteUrl;
  const pool = createPagePool(browser, url);
  const createWallet: OpenSite["createWallet"] = ({ privateKey }, more = {}) =>
    createTestWallet({ rpcUrl: stack.rpcUrl, chainId: stack.devFile.chain_id, privateKey, ...more });
  return {
    stack,
    url,
    browser,
    createWallet,
    takeWallet: async (more) => {
      const wallet = createWallet({ privateKey: generatePrivateKey() }, more);
      await rpcRequest(stack.rpcUrl, "anvil_setBalance", [wallet.account.address, toHex(parseEther("100"))]);
      return wallet;
    },
    openPage: (pageOptions) => openPage({ browser, pool, origin: url }, pageOptions),
    close: async () => {
      await browser.close();
      await stack.stop();
    },
  };
}

let shared: Promise<OpenSite> | null = null;

/** The paymaster of the shared site. No page and no test wallet sends a request to it. */
export const sharedPaymasterUrl = "https://paymaster.example/v2/rpc?policy=launch";

/**
 * Returns a site with the demo tokens that all test files of a worker share, one after the other. It ends with the
 * worker, because its processes do not outlive the process that started them. For tests that need no other state than
 * their own wallets, accounts and tokens.
 */
export const openSharedSite = (): Promise<OpenSite> =>
  (shared ??= openSite({ environment: { PAYMASTER_URL: sharedPaymasterUrl } }));

type Opener = { browser: Browser; pool: PagePool; origin: string };

/** Creates an empty page of the options' browser. */
async function createPage({ browser, pool }: Opener, { beside, context }: OpenPageOptions): Promise<Page> {
  if (beside) return await newPage(beside.context);
  if (!context) return await pool.take();
  return await newPage(await browser.newContext({ viewport: defaultViewport, ...context }));
}

async function openPage(opener: Opener, options: OpenPageOptions = {}): Promise<SitePage> {
  const { signedIn } = options;
  const { origin, pool } = opener;
  const page = await createPage(opener, options);
  const context = page.context();
  if (signedIn) await signInBefore(page, origin, signedIn);
  // Only bounds a hang.
  context.setDefaultTimeout(120_000);
  const problems: { text: string; status?: number }[] = [];
  page.on("console", (message) => {
    if (!["error", "warning"].includes(message.type())) return;
    const status = /status of (\d{3})/.exec(message.text())?.[1];
    problems.push({
      text: `console: ${message.text()} ${message.location().url}`,
      ...(status ? { status: Number(status) } : {}),
    });
  });
  page.on("pageerror", (error) => problems.push({ text: `thrown: ${error.stack ?? error.message}` }));
  page.on("request", (request) => {
    const target = new URL(request.url());
    if (["http:", "https:"].includes(target.protocol) && target.origin !== origin)
      problems.push({ text: `left the origin: ${request.url()}` });
  });
  for (const wallet of options.wallets ?? (signedIn ? [signedIn] : [])) await wallet.addTo(page);
  const goto = async (path: string) => void (await page.goto(`${origin}${path}`));
  const follow = async (path: string) => {
    await page.evaluate((href) => window.__TSR_ROUTER__!.navigate({ href }), path);
    await page.waitForFunction(() => {
      const { status, location, resolvedLocation } = window.__TSR_ROUTER__!.state;
      return status === "idle" && resolvedLocation?.state.__TSR_key === location.state.__TSR_key;
    });
  };
  if (options.path !== undefined) await goto(options.path);
  return {
    page,
    context,
    goto,
    follow,
    close: async () => await (options.beside ? page.close() : pool.giveBack(page)),
    problems: (statuses = []) =>
      problems.filter(({ status }) => status === undefined || !statuses.includes(status)).map(({ text }) => text),
    findBarriers: async (rules = "all") => {
      // A colour in mid-transition does not count, because nobody reads it. The animation of a quote lasts as long as
      // the quote. An inherited colour can start the next transition when the previous one ends.
      await page.evaluate(async () => {
        const listTransitions = () => document.getAnimations().filter((a) => a instanceof CSSTransition);
        for (let running = listTransitions(); running.length > 0; running = listTransitions()) {
          await Promise.allSettled(running.map(({ finished }) => finished));
          await new Promise(requestAnimationFrame);
        }
      });
      // Axe has 650 kB, which a document loads once.
      if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axeSource);
      return await page.evaluate(runAxe, rules === "all" ? allRules : colourRules);
    },
  };
}

/** Signs in without a page, and stores what the site stores of a signed-in visitor: the session, and the wallet's id. */
async function signInBefore(page: Page, origin: string, wallet: TestWallet): Promise<void> {
  const { address } = wallet.account;
  const { cookie } = await signIn(origin, {
    address,
    signMessage: (message) => wallet.account.signMessage({ message }),
  });
  const [name, value] = cookie.split(/=(.*)/s) as [string, string];
  await page.context().addCookies([{ name, value, url: origin, httpOnly: true, sameSite: "Lax" }]);
  wallet.setConnected();
  // Not with `storageState`, for which Playwright opens a page.
  await page.addInitScript(storeVisit, { [walletKey]: wallet.rdns, [sessionKey]: "yes" });
}

/** Runs in each document; only the first one stores something, because a page may sign out. */
function storeVisit(items: Record<string, string>): void {
  if (!location.protocol.startsWith("http") || localStorage.getItem("visited") !== null) return;
  localStorage.setItem("visited", "yes");
  for (const [key, value] of Object.entries(items)) localStorage.setItem(key, value);
}

/** Returns the violations of the document. Runs in the page, where axe is loaded. */
async function runAxe(runOnly: RunOnly): Promise<string[]> {
  const { axe } = window as unknown as { axe: typeof Axe };
  // Without the list of passed elements, whose selectors take as long as the rules.
  const { violations } = await axe.run(document, { runOnly, resultTypes: ["violations"] });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target.join(" ")}: ${failureSummary}`),
  );
}
