import type { Browser, BrowserContext, CDPSession, Disposable, Page } from "playwright-core";

/**
 * Pages for one test after another. A new page has a new process, which compiles the scripts of the site again: it takes
 * 0.6 seconds of CPU time until it is drawn. A page of the pool takes 0.2, and 0.1 when it is emptied.
 */
export type PagePool = {
  /** Returns an empty page of a separate browser: without cookies, storage, wallets or responses of the API. */
  take(): Promise<Page>;
  /** Empties a page for the next test; a page whose clock a test has replaced is closed with its browser. */
  giveBack(page: Page): Promise<void>;
};

export const defaultViewport = { width: 1280, height: 900 };

/** The events of a page to which tests listen. */
const events = ["console", "pageerror", "request", "response", "websocket", "dialog"] as const;

/** A page of the pool: its own DevTools session, and what a test has added to it. */
type Pooled = { session: CDPSession; added: Disposable[]; hasClock: boolean };

/** Opens a page whose `goto` and `reload` return when its scripts run, unless the options of the call say otherwise. */
export async function newPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  // The server's first paint looks like the page, but nothing responds until the scripts replace it.
  for (const name of ["goto", "reload"] as const) {
    const navigate = page[name].bind(page) as (...options: unknown[]) => ReturnType<Page["reload"]>;
    page[name] = async (...options: unknown[]) => {
      const response = await navigate(...options);
      const { waitUntil } = (options.at(-1) ?? {}) as { waitUntil?: string };
      if (waitUntil === undefined) await page.locator("#root > [inert]").waitFor({ state: "detached" });
      return response;
    };
  }
  return page;
}

/**
 * The time for which a browser uses a response of the API again (`sendCacheable`). Files of the site stay in its cache, for
 * they do not change.
 */
const freshMs = 10_000;

/** Creates the pool of a site; its pages end with the browser. */
export function createPagePool(browser: Browser, origin: string): PagePool {
  /** In the order of their return. */
  const free: { page: Page; returnedAt: number }[] = [];
  const pooled = new WeakMap<Page, Pooled>();

  const create = async (): Promise<Page> => {
    const context = await browser.newContext({ viewport: defaultViewport });
    const page = await newPage(context);
    const session = await context.newCDPSession(page);
    const state = { session, added: [], hasClock: false };
    pooled.set(page, state);
    record(page, state);
    return page;
  };

  const empty = async (page: Page, { session, added }: Pooled): Promise<void> => {
    const context = page.context();
    for (const other of context.pages()) if (other !== page) await other.close();
    for (const event of events) page.removeAllListeners(event);
    await context.setOffline(false);
    await page.unrouteAll({ behavior: "ignoreErrors" });
    for (const each of added.splice(0)) await each.dispose();
    // A document of the site without scripts: the process stays, and the storage can be emptied.
    await page.goto(`${origin}/robots.txt`, { waitUntil: "load" });
    await page.evaluate(() => sessionStorage.clear());
    await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
    await context.clearCookies();
    await page.emulateMedia({ media: null, colorScheme: null, reducedMotion: null, forcedColors: null });
    await page.setViewportSize(defaultViewport);
    await page.mouse.move(0, 0);
  };

  return {
    take: async () => {
      const first = free[0];
      if (first === undefined || performance.now() - first.returnedAt < freshMs) return await create();
      free.shift();
      return first.page;
    },
    giveBack: async (page) => {
      const state = pooled.get(page);
      if (state === undefined || state.hasClock) return await page.context().close();
      await empty(page, state);
      free.push({ page, returnedAt: performance.now() });
    },
  };
}

/** Keeps what a test adds to a page, so that it can be removed. A clock cannot be removed. */
function record(page: Page, state: Pooled): void {
  for (const name of ["addInitScript", "exposeFunction"] as const) {
    const add = page[name].bind(page) as (...options: unknown[]) => Promise<Disposable>;
    page[name] = async (...options: unknown[]) => {
      const one = await add(...options);
      state.added.push(one);
      return one;
    };
  }
  const install = page.clock.install.bind(page.clock);
  page.clock.install = async (options) => {
    state.hasClock = true;
    await install(options);
  };
}
