import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { untilDrawn } from "../support/browser/demoPages.ts";
import {
  connect,
  enterAmount,
  findTradeBox,
  launch,
  openReview,
  unfold,
  untilLaunched,
} from "../support/browser/journeys.ts";
import { type OpenSite, openSharedSite } from "../support/browser/openSite.ts";

let site: OpenSite;

beforeAll(async () => {
  site = await openSharedSite();
});

const name = "W".repeat(64);
const symbol = "W".repeat(12);
const readExcess = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
const setWidth = (page: Page, width: number) => page.setViewportSize({ width, height: 900 });

/** Returns the values of the quote that are not completely within the trade box. */
const findCut = (page: Page) =>
  findTradeBox(page).evaluate((box) => {
    const { left, right } = box.getBoundingClientRect();
    return [...box.querySelectorAll("dt, dd, dd span:not(.sr-only)")]
      .filter((value) => {
        const shown = value.getBoundingClientRect();
        return shown.left < left || shown.right > right;
      })
      .map(({ textContent }) => textContent);
  });

describe("the widest name and symbol", () => {
  it("stay within their page: in the drafts, in the review, and in what a trade gives and costs", async () => {
    const wallet = await site.takeWallet();
    const tab = await openReview(site, wallet, symbol, {
      fill: async ({ page }) => {
        await page.getByLabel("Name", { exact: true }).fill(name);
        await unfold(page, "Initial buy");
        await page.getByLabel("Initial buy").fill("0.1");
      },
    });
    const { page } = tab;
    const review = new URL(page.url()).pathname;
    for (const width of [360, 1280]) {
      await setWidth(page, width);
      await tab.goto("/drafts");
      await page.getByText(name).waitFor();
      expect([width, await readExcess(page)]).toEqual([width, 0]);
      await tab.goto(review);
      await page.getByText("Network fees for 2 transactions").waitFor();
      expect([width, await readExcess(page)]).toEqual([width, 0]);
    }
    await launch(tab, symbol);
    await untilLaunched(tab);
    const path = new URL(page.url()).pathname;

    for (const width of [360, 1280]) {
      await setWidth(page, width);
      await tab.goto(path);
      await untilDrawn(page);
      if (width === 360) await page.getByRole("button", { name: "Sell", exact: true }).click();
      else await findTradeBox(page).getByText("Sell", { exact: true }).click();
      const box = findTradeBox(page);
      await box.getByRole("button", { name: "Max" }).click();
      await box.getByRole("button", { name: /^Review/, disabled: false }).waitFor();
      expect([width, await findCut(page), await readExcess(page)]).toEqual([width, [], 0]);
      // The typed text ends before the button and the symbol.
      const space = await box.getByLabel("You pay").evaluate((input) => {
        const suffix = input.nextElementSibling!.getBoundingClientRect();
        const { right } = input.getBoundingClientRect();
        return suffix.left - (right - Number.parseFloat(getComputedStyle(input).paddingRight));
      });
      expect(space).toBeGreaterThanOrEqual(0);
      await box.getByText("Buy", { exact: true }).click();
      await box.getByLabel("You pay").fill("0.5");
      await box.getByRole("button", { name: /^Review/, disabled: false }).waitFor();
      expect([width, await findCut(page), await readExcess(page)]).toEqual([width, [], 0]);
    }
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });
});

describe("a wallet of another network", () => {
  it("is switched by the button of the part that needs it; the header names it where it has space", async () => {
    const wallet = site.createWallet(site.stack.wallets[0]!);
    const tab = await site.openPage({ signedIn: wallet, path: `/t/${site.stack.tokens[0]}` });
    const { page } = tab;
    await enterAmount(page, "0.01");
    await wallet.switchChain(1);
    const inHeader = page.getByRole("banner").getByRole("button", { name: /^Switch to/ });
    await inHeader.waitFor();
    await setWidth(page, 360);
    await inHeader.waitFor({ state: "hidden" });
    expect(await readExcess(page)).toBe(0);
    await page.getByRole("button", { name: "Buy", exact: true }).click();
    await findTradeBox(page)
      .getByRole("button", { name: /^Switch to/ })
      .waitFor();
    await tab.close();
  });
});

describe("a fault in the form of a launch", () => {
  it("goes when its field is corrected, where the field stands", async () => {
    const wallet = site.createWallet(site.stack.wallets[1]!);
    const tab = await site.openPage({ wallets: [wallet], path: "/launch" });
    const { page } = tab;
    await connect(page);
    await page.getByText("Description, website and links").click();
    await page.getByLabel("Website", { exact: true }).fill("javascript:alert(1)");
    await page.getByRole("button", { name: "Sign in to review" }).click();
    const wrong = page.locator("main [aria-invalid=true]");
    // The name, the symbol, the picture and the website.
    await expect.poll(() => wrong.count()).toBe(4);
    await page.getByLabel("Website", { exact: true }).fill("https://seal.example/");
    await expect.poll(() => wrong.count()).toBe(3);
    // The part stays open, and keeps the focus.
    expect(await page.getByLabel("Website", { exact: true }).evaluate((one) => one === document.activeElement)).toBe(
      true,
    );
    await page.getByLabel("Name", { exact: true }).fill("Seal");
    await page.getByLabel("Symbol").fill("SEAL");
    await page.getByLabel("Or image URI").fill("https://cdn.example/seal.png");
    await expect.poll(() => wrong.count()).toBe(0);
    await page.getByText("Fix the errors above.").waitFor({ state: "detached" });
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });
});
