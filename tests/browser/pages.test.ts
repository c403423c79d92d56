import { getWallet } from "@slipway/dev/chain/wallets";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fillPath, readParameters, readRoutePaths, signInOn, untilDrawn } from "../support/browser/demoPages.ts";
import { openLivePage } from "../support/browser/journeys.ts";
import { type OpenSite, openSite, type SitePage } from "../support/browser/openSite.ts";
import { shortHistory } from "../support/startBuiltStack.ts";

/**
 * The checked URLs of each route: its page with the demo's data, and other states, such as an empty result. A parameter
 * without a value here uses the demo's value.
 */
const routes: Readonly<Record<string, readonly string[]>> = {
  "/": ["/", "/?q=no%20such%20token", "/?list=favourites", "/?list=live"],
  "/gallery": ["/gallery", "/gallery?sort=random&seed=7", "/gallery?q=none%20of%20these"],
  "/directory": ["/directory", "/directory?q=none%20of%20these"],
  "/business/$id": ["/business/$id", "/business/00000000-0000-4000-8000-000000000000"],
  "/business/new": ["/business/new"],
  "/business/$id/edit": ["/business/$id/edit"],
  "/account/{-$section}": [
    "",
    ...["/wallets", "/links", "/keys", "/sessions", "/credits", "/listings", "/events", "/data", "/none"],
  ].map((section) => `/account${section}`),
  "/status": ["/status"],
  "/t/$address": [
    "/t/$address",
    "/t/$address?tab=holders",
    "/t/$address?tab=facts",
    "/t/$address?tab=traders",
    "/t/$address?tab=depth",
    `/t/0x${"12".repeat(20)}`,
    "/t/0x12",
  ],
  "/t/$address/share": ["/t/$address/share", "/t/0x12/share"],
  "/wallet/$address": [
    ...["holdings", "launches", "receipts", "trades"].map((tab) => `/wallet/$wallet?tab=${tab}`),
    `/wallet/0x${"12".repeat(20)}`,
  ],
  "/launch": ["/launch"],
  "/launch/$draft": ["/launch/$draft", "/launch/00000000-0000-4000-8000-000000000000"],
  "/drafts": ["/drafts"],
  "/openings": ["/openings", "/openings?status=done"],
  "/opening/$address": ["/opening/$address", "/opening/0x12"],
  "/fees": ["/fees"],
  "/gas": ["/gas"],
  "/markets": ["/markets"],
  "/markets/$pair": ["/markets/$pair", "/markets/NONE_USDT"],
  "/forecast": ["/forecast"],
  "/alerts": ["/alerts"],
  "/alerts/confirm": ["/alerts/confirm"],
  "/alerts/unsubscribe": ["/alerts/unsubscribe"],
};

let site: OpenSite;
/** A browser in which the creator of the demo's first token is signed in. */
let own: SitePage;
let parameters: Readonly<Record<string, string | undefined>>;

beforeAll(async () => {
  // With the trader, whose trades appear as live rows.
  site = await openSite({ demo: true, environment: shortHistory });
  const wallet = site.createWallet(getWallet("creators"));
  own = await site.openPage();
  await own.page.emulateMedia({ reducedMotion: "reduce" });
  await signInOn(own.page, site.url, wallet);
  const { address } = wallet.account;
  parameters = { ...(await readParameters(site.stack.devFile, own.context, address)), wallet: address };
});
afterAll(() => site?.close());

const toPath = (path: string) => fillPath(path, parameters) ?? path;
const api = "**/api/v1/launchpad";
/** The widths at which accessibility is checked, with the theme of each. */
const themes = new Map<number, "light" | "dark">([
  [360, "dark"],
  [1280, "light"],
]);

/** Returns the excess width of a page over its window, or of a table over its panel, which hides the rest. */
const getExcess = ({ page }: SitePage) =>
  page.evaluate(() => {
    const tables = [...document.querySelectorAll("main table:not(.sr-only *)")].map(
      (table) => table.getBoundingClientRect().right - table.parentElement!.getBoundingClientRect().right,
    );
    const { scrollWidth, clientWidth } = document.documentElement;
    return Math.max(0, scrollWidth - clientWidth, ...tables.map(Math.round));
  });

/** Changes the width or the theme of an open page. */
async function show({ page }: SitePage, width: number, theme?: "light" | "dark"): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  // The site receives the change of width in the next frame, and draws its other layout in the frame after it.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  if (theme) await page.evaluate((name) => document.documentElement.setAttribute("data-theme", name), theme);
  await untilDrawn(page);
}

describe("the pages of the site", () => {
  it("are all listed here", () => {
    expect(Object.keys(routes).sort()).toEqual(readRoutePaths().sort());
  });

  it.each([...Object.entries(routes), ["an unknown path", ["/no/page"]] as const])(
    "%s has no barriers in both themes and never scrolls sideways",
    async (_, paths) => {
      for (const [index, path] of paths.map(toPath).entries()) {
        await (index === 0 ? own.goto(path) : own.follow(path));
        for (const width of [360, 768, 1280, 1920]) {
          await show(own, width);
          expect([path, width, await getExcess(own)]).toEqual([path, width, 0]);
          const theme = themes.get(width);
          // The other states of a route have the same parts as its first state.
          if (theme === undefined || (width > 360 && path !== toPath(paths[0]!))) continue;
          await show(own, width, theme);
          expect([path, width, theme, await own.findBarriers()]).toEqual([path, width, theme, []]);
        }
      }
      expect(own.problems([403, 404, 422])).toEqual([]);
    },
  );

  it("have no barriers for a visitor without a wallet", async () => {
    const tab = await site.openPage({ context: { viewport: { width: 360, height: 780 }, colorScheme: "dark" } });
    await tab.goto("/");
    for (const path of Object.values(routes).map(([first]) => toPath(first!))) {
      await tab.follow(path);
      await untilDrawn(tab.page);
      expect([path, await getExcess(tab), await tab.findBarriers()]).toEqual([path, 0, []]);
    }
    expect(tab.problems([404])).toEqual([]);
    await tab.close();
  });

  it("are in Spanish for a browser in Spanish, fit a phone, and stay in the language that the person chooses", async () => {
    const tab = await site.openPage({ context: { viewport: { width: 360, height: 780 }, locale: "es-ES" } });
    const paths = [...Object.values(routes).map(([first]) => first!), ...routes["/t/$address"]!.slice(1, 5)];
    await tab.goto("/");
    for (const path of paths.map(toPath)) {
      await tab.follow(path);
      await untilDrawn(tab.page);
      expect([path, await getExcess(tab), await tab.page.getAttribute("html", "lang")]).toEqual([path, 0, "es"]);
    }
    expect(await tab.findBarriers()).toEqual([]);
    await tab.page.getByRole("button", { name: "English" }).click();
    await tab.page.getByRole("button", { name: "Español" }).waitFor();
    await tab.goto("/");
    await tab.page.getByRole("navigation", { name: "Main" }).waitFor();
    expect(await tab.page.getAttribute("html", "lang")).toBe("en");
    expect(tab.problems([404])).toEqual([]);
    await tab.close();
  });

  it("say so and have no barriers when the service answers errors", async () => {
    const wallet = site.createWallet(getWallet("creators"), { connected: true });
    const tab = await site.openPage({ wallets: [wallet], beside: own });
    const error = { code: "internal_error", message: "It broke.", request_id: "request-7", retryable: false };
    await tab.page.route(/\/api\/(?!auth)/, (route) => route.fulfill({ status: 500, json: { error } }));
    const faults: unknown[] = [];
    const silent: string[] = [];
    for (const [index, [route, [first]]] of Object.entries(routes).entries()) {
      const path = toPath(first!);
      await (index === 0 ? tab.goto(path) : tab.follow(path));
      await untilDrawn(tab.page).catch(({ message }: Error) => faults.push([path, message]));
      const found = [await getExcess(tab), ...(await tab.findBarriers())];
      if (found.join() !== "0") faults.push([path, ...found]);
      if ((await tab.page.getByText("request-7").count()) === 0) silent.push(route);
    }
    expect(faults).toEqual([]);
    // The answers of one page are in its HTML; the other pages read nothing before an input.
    expect(silent).toEqual(["/", "/business/new", "/launch", "/alerts/confirm", "/alerts/unsubscribe"]);
    expect(tab.problems([500])).toEqual([]);
    await tab.page.close();
  });
});

describe("the installable app", () => {
  it("has a manifest whose pictures and pages exist", async () => {
    const opened = await site.openPage({ path: "/status" });
    const link = await opened.page.locator("link[rel=manifest]").getAttribute("href");
    const read = (path: string) =>
      opened.context.request.get(`${site.url}${path}`, { headers: { accept: "text/html" } });
    const manifest = (await (await read(link!)).json()) as Record<"icons" | "shortcuts", Record<string, string>[]>;
    const paths = [...manifest.icons.map(({ src }) => src!), ...manifest.shortcuts.map(({ url }) => url!)];
    for (const path of paths) expect([path, (await read(path)).status()]).toEqual([path, 200]);
    // Chromium reads the manifest by the policy of the page.
    const client = await opened.context.newCDPSession(opened.page);
    const { errors, data } = (await client.send("Page.getAppManifest")) as { errors: unknown[]; data?: string };
    expect([errors, JSON.parse(data!)]).toEqual([[], manifest]);
    expect((await read("/favicon.ico")).status()).toBe(200);
    await opened.close();
  });
});

describe("the theme", () => {
  it("follows the choice, also after a reload", async () => {
    const opened = await site.openPage({ path: "/status", context: { colorScheme: "light" } });
    const { page } = opened;
    const getTheme = () => page.evaluate(() => document.documentElement.dataset.theme);
    expect(await getTheme()).toBe("light");
    await page.getByRole("button", { name: "Theme: System" }).click();
    await page.getByRole("button", { name: "Theme: Light" }).click();
    expect(await getTheme()).toBe("dark");
    await page.reload();
    expect(await getTheme()).toBe("dark");
    await opened.close();
  });
});

describe("explore", () => {
  it("is drawn from the answer in the HTML, also when every request for it fails", async () => {
    const opened = await site.openPage();
    await opened.page.route(`${api}/tokens?sort=volume**`, (route) => route.abort());
    await opened.goto("/");
    const table = opened.page.getByRole("table");
    await expect.poll(() => table.getByRole("link").count()).toBe(3);
    await opened.close();
  });

  it("shows trades as they happen, without a reload", async () => {
    const opened = await site.openPage();
    // Only the stream can change a price.
    await opened.page.route(`${api}/tokens?**`, (route) => route.abort());
    await opened.goto("/");
    const readPrices = () => opened.page.locator("tbody td:nth-child(3)").allInnerTexts();
    await expect.poll(readPrices).toHaveLength(3);
    const before = await readPrices();
    await expect.poll(readPrices).not.toEqual(before);
    await opened.close();
  });

  it("searches everything from the keyboard, and the tokens in the URL, and says what to do when nothing is found", async () => {
    const opened = await site.openPage({ path: "/" });
    const { page } = opened;
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.keyboard.press("/");
    const dialog = page.getByRole("dialog", { name: "Search" });
    // The field has the focus.
    await page.locator("[role=combobox]:focus").waitFor();
    await page.keyboard.type("kettle");
    await dialog.getByRole("option", { name: "Copper Kettle" }).waitFor();
    expect(await opened.findBarriers()).toEqual([]);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: /^Copper Kettle/ }).waitFor();
    await page.keyboard.press("/");
    await dialog.getByRole("combobox").fill(parameters.wallet!.toLowerCase());
    await dialog.getByRole("option", { name: /^Wallet 0x/ }).waitFor();
    await dialog.getByRole("combobox").fill("direct");
    await dialog.getByRole("option", { name: "Directory" }).click();
    await page.getByRole("heading", { level: 1, name: "Directory" }).waitFor();

    await opened.goto("/");
    const field = page.getByRole("search").getByRole("textbox");
    const links = () => page.getByRole("table").getByRole("link");
    await field.fill("kettle");
    await expect.poll(() => page.url()).toMatch(/\?q=kettle$/);
    await expect.poll(() => links().allInnerTexts()).toEqual(["Copper Kettle"]);
    await field.fill("2026");
    await page.getByText("No tokens match “2026”").waitFor();
    await page.getByRole("button", { name: "Clear search", exact: true }).last().click();
    await expect.poll(() => links().count()).toBe(3);
    await page.getByText("Newest", { exact: true }).click();
    await expect.poll(() => page.url()).toContain("sort=new");
    await page.reload();
    expect(await page.getByRole("radio", { name: "Newest" }).isChecked()).toBe(true);
    await opened.close();
  });

  it("filters, keeps favourites and columns in the browser, and lists new pairs with a pause", async () => {
    const opened = await site.openPage({ path: "/" });
    const { page } = opened;
    const links = () => page.getByRole("table").getByRole("link");
    await page.getByRole("button", { name: "Filters" }).click();
    await page.getByLabel("Minimum liquidity ($)").fill("999999999");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("No tokens match these filters.").waitFor();
    expect(await opened.findBarriers()).toEqual([]);
    expect(page.url()).toContain("liq=999999999");
    await page.getByRole("button", { name: "Clear filters" }).click();
    await expect.poll(() => links().count()).toBe(3);

    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("checkbox", { name: "Holders" }).uncheck();
    await page.getByRole("columnheader", { name: "Holders" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Favourite Copper Kettle" }).click();
    await page.reload();
    await page.getByRole("columnheader", { name: "Liquidity" }).waitFor();
    expect(await page.getByRole("columnheader", { name: "Holders" }).count()).toBe(0);
    await page.getByText("Favourites", { exact: true }).click();
    await expect.poll(() => links().allInnerTexts()).toEqual(["Copper Kettle"]);
    expect(await opened.findBarriers()).toEqual([]);
    const exported = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export" }).click();
    expect((await exported).suggestedFilename()).toBe("slipway-favourites.json");

    await page.getByText("New pairs", { exact: true }).click();
    await expect.poll(() => links().count()).toBe(3);
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("Paused. 0 new pairs are waiting.").waitFor();
    expect(await opened.findBarriers()).toEqual([]);
    expect(opened.problems()).toEqual([]);
    await opened.close();
  });
});

describe("a visitor without a network", () => {
  it("C10-97 gets a page of the installed app that says so; its worker stores nothing and answers nothing else", async () => {
    const opened = await site.openPage();
    const { page, context } = opened;
    // Chromium without a window cannot install an app: only this one query has the answer of an installed app.
    await page.addInitScript(() => {
      const { matchMedia } = window;
      window.matchMedia = (query) => matchMedia.call(window, query.includes("display-mode") ? "all" : query);
    });
    await page.goto(`${site.url}/directory`);
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    await context.setOffline(true);
    await page.goto(`${site.url}/markets`);
    await page.getByRole("heading", { name: "You are offline" }).waitFor();
    expect(await opened.findBarriers()).toEqual([]);
    const stored = await page.evaluate(async () => ({
      caches: await caches.keys(),
      answer: await fetch("/api/v1/launchpad/config").then(String, () => "no answer"),
    }));
    expect(stored).toEqual({ caches: [], answer: "no answer" });
    await context.setOffline(false);
    await page.getByRole("link", { name: "Try again" }).click();
    await page.getByRole("heading", { level: 1, name: "Markets" }).waitFor();
    await opened.close();
  });

  it("gets the site's own error with a retry, and the page when the network or the service is back", async () => {
    const opened = await site.openPage();
    const { page } = opened;
    await openLivePage(opened, "/");
    await untilDrawn(page);
    await opened.context.setOffline(true);
    await page.getByText(/^Live data paused/).waitFor();
    const note = page.getByRole("alert").filter({ hasText: "Can't reach the service." });
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Directory" }).click();
    await note.waitFor();
    expect(await page.getByRole("heading", { level: 1, name: "Tokens" }).count()).toBe(0);
    await note.getByRole("button", { name: "Try again" }).click();
    await note.waitFor();
    await opened.context.setOffline(false);
    await page.getByRole("heading", { level: 1, name: "Directory" }).waitFor();
    await page.getByRole("link", { name: "Nightwatch Software" }).waitFor();

    // The service is stopped while the network works: a retry never leaves the site.
    await page.route("**/*", (route) => route.abort());
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Gallery" }).click();
    await note.waitFor();
    for (const _ of [1, 2]) {
      await note.getByRole("button", { name: "Try again" }).click();
      await note.waitFor();
    }
    await page.unroute("**/*");
    await note.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { level: 1, name: "Gallery" }).waitFor();
    await opened.close();
  });

  it("gets the same error from a page whose files the browser has, and its data when the network is back", async () => {
    const opened = await site.openPage({ path: "/directory?q=none%20of%20these" });
    const { page } = opened;
    await untilDrawn(page);
    await opened.goto("/status");
    await untilDrawn(page);
    await opened.context.setOffline(true);
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Directory" }).click();
    await page.getByRole("heading", { level: 1, name: "Directory" }).waitFor();
    await page.getByRole("alert").filter({ hasText: "Can't reach the service." }).waitFor();
    await opened.context.setOffline(false);
    await page.getByRole("link", { name: "Nightwatch Software" }).waitFor();
    await opened.close();
  });
});

describe("a search without a match", () => {
  it.each(["/", "/gallery", "/directory"])("of %s can be cleared", async (path) => {
    const opened = await site.openPage({ path: `${path}?q=none%20of%20these` });
    const { page } = opened;
    await page
      .getByRole("main")
      .getByRole("button", { name: /^(Clear search|All listings)$/ })
      .click();
    await expect.poll(() => new URL(page.url()).search).toBe("");
    await page
      .getByText(/Harbor Light|Nightwatch Software/)
      .first()
      .waitFor();
    await opened.close();
  });
});

describe("an error", () => {
  it.each(["/directory", "/gallery", "/status"])(
    "is shown on %s with its code and request id, until a retry succeeds",
    async (path) => {
      const opened = await site.openPage();
      const { page } = opened;
      const error = { code: "internal_error", message: "It broke.", request_id: "request-7", retryable: false };
      const broken = /\/api\/v1\/launchpad\/(directory|gallery|config|analytics)/;
      await page.route(broken, (route) => route.fulfill({ status: 500, json: { error } }));
      await opened.goto(path);
      const note = page.getByRole("alert").filter({ hasText: "request-7" }).first();
      await note.waitFor();
      expect(await note.textContent()).toContain("internal_error");
      await page.unroute(broken);
      while ((await page.getByRole("button", { name: "Try again" }).count()) > 0) {
        const notes = await page.getByRole("button", { name: "Try again" }).count();
        await page.getByRole("button", { name: "Try again" }).first().click();
        await expect.poll(() => page.getByRole("button", { name: "Try again" }).count()).toBeLessThan(notes);
      }
      await page.getByRole("heading", { level: 1 }).waitFor();
      await opened.close();
    },
  );
});
