import { AxeBuilder } from "@axe-core/playwright";
import { buildSite } from "@slipway/dev/site/buildSite";
import { type Stack, startStack } from "@slipway/dev/startStack";
import type { Wallet } from "@slipway/dev/chain/wallets";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { unlimited } from "../conformance/unlimited.ts";
import { launchChromium } from "./launchChromium.ts";
import { createTestWallet, type TestWallet, type TestWalletOptions } from "./testWallet.ts";

/** The real local stack with its built site, and a browser. One for a file of tests. */
export type OpenSite = {
  stack: Stack;
  url: string;
  browser: Browser;
  /** A wallet of a development account; every test takes another one. */
  createWallet(wallet: Wallet, options?: Partial<TestWalletOptions>): TestWallet;
  /** A page in a browser of its own. */
  openPage(options?: OpenPageOptions): Promise<SitePage>;
  close(): Promise<void>;
};

export type OpenPageOptions = {
  wallets?: readonly TestWallet[];
  /** Opened at once when given. */
  path?: string;
  context?: BrowserContextOptions;
  /** Another tab of this browser, with its cookies and storage. */
  beside?: SitePage;
};

/** A page with all that must not happen in it. */
export type SitePage = {
  page: Page;
  context: BrowserContext;
  goto(path: string): Promise<void>;
  /**
   * What the console said, what was thrown, which requests left the site's origin. Answers of the API in `statuses` are
   * expected: Chromium writes every refused request to the console.
   */
  problems(statuses?: readonly number[]): string[];
  /** The violations of WCAG 2.2 AA of the page as it is now, one line each. */
  findBarriers(): Promise<string[]>;
};

/** Starts it; the caller closes it. */
export async function openSite(
  options: { demo?: "tokens" | boolean; exchange?: boolean; environment?: Record<string, string> } = {},
): Promise<OpenSite> {
  const { folder } = await buildSite();
  const serverEnvironment = { ...unlimited, NODE_ENV: "test", WEB_DIST: folder, ...options.environment };
  const [browser, stack] = await Promise.all([
    launchChromium(),
    startStack({
      demo: options.demo ?? "tokens",
      ...(options.exchange === undefined ? {} : { exchange: options.exchange }),
      serverEnvironment,
    }),
  ]);
  const url = stack.siteUrl;
  return {
    ...{ stack, url },
    browser,
    createWallet: ({ privateKey }, more = {}) =>
      createTestWallet({ rpcUrl: stack.rpcUrl, chainId: stack.devFile.chain_id, privateKey, ...more }),
    openPage: (pageOptions) => openPage(browser, url, pageOptions),
    close: async () => {
      await browser.close();
      await stack.stop();
    },
  };
}

async function openPage(browser: Browser, origin: string, options: OpenPageOptions = {}): Promise<SitePage> {
  const context =
    options.beside?.context ??
    (await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options.context }));
  const page = await context.newPage();
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
  for (const wallet of options.wallets ?? []) await wallet.addTo(page);
  const goto = async (path: string) => void (await page.goto(`${origin}${path}`));
  if (options.path !== undefined) await goto(options.path);
  return {
    page,
    context,
    goto,
    problems: (statuses = []) =>
      problems.filter(({ status }) => status === undefined || !statuses.includes(status)).map(({ text }) => text),
    findBarriers: async () => {
      // A colour in mid-transition is none that anybody reads.
      await page.evaluate(async () => {
        const isPassing = (a: Animation) =>
          a.playState === "running" && a.effect?.getComputedTiming().endTime !== Infinity;
        const running = document.getAnimations().filter(isPassing);
        await Promise.allSettled(running.map(({ finished }) => finished));
      });
      const { violations } = await new AxeBuilder({ page })
        .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"])
        .analyze();
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id} ${target.join(" ")}: ${failureSummary}`),
      );
    },
  };
}
