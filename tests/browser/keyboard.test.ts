import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { findTradeBox } from "../support/browser/journeys.ts";
import { type OpenSite, openSharedSite } from "../support/browser/openSite.ts";

let site: OpenSite;

beforeAll(async () => {
  site = await openSharedSite();
});

/** Returns the accessible name of the focused element: its label, its title or its text. */
const readFocused = (page: Page) =>
  page.evaluate(() => {
    const focused = document.activeElement as (HTMLElement & { labels?: NodeListOf<HTMLLabelElement> }) | null;
    if (focused === null || focused === document.body) return null;
    const label = focused.getAttribute("aria-label") ?? focused.labels?.[0]?.textContent ?? null;
    return [label, focused.title, focused.textContent].filter(Boolean).join(" | ");
  });

/** Presses Tab until the focus is on an element whose name matches. */
async function tabTo(page: Page, name: RegExp, maxPresses = 60): Promise<void> {
  const passed: (string | null)[] = [];
  for (let presses = 0; presses < maxPresses; presses++) {
    await page.keyboard.press("Tab");
    const focused = await readFocused(page);
    if (focused !== null && name.test(focused)) return;
    passed.push(focused);
  }
  throw new Error(`${name} cannot be reached by the Tab key, only: ${passed.join("; ")}`);
}

const untilFocused = (page: Page, name: RegExp) =>
  expect.poll(async () => (await readFocused(page)) ?? "nothing").toMatch(name);
const press = (page: Page, key: string) => page.keyboard.press(key);
const untilClosed = (page: Page) => page.getByRole("dialog").waitFor({ state: "detached" });
const isInDialog = (page: Page) => page.evaluate(() => document.activeElement?.closest("[role=dialog]") !== null);

describe("by keyboard alone, a person", () => {
  it("chooses among two wallets, signs in and trades, and finds the focus where a closed dialog was opened", async () => {
    const [chosen, other] = [
      site.createWallet(site.stack.wallets[0]!, { name: "Chosen Wallet", rdns: "test.chosen" }),
      site.createWallet(site.stack.wallets[1]!, { name: "Other Wallet", rdns: "test.other" }),
    ];
    const tab = await site.openPage({ wallets: [other, chosen], path: `/t/${site.stack.tokens[0]}` });
    const { page } = tab;
    await findTradeBox(page).getByLabel("You pay").waitFor();

    // There is no earlier click in the page: the first Tab reaches the link past the navigation.
    await press(page, "Tab");
    await untilFocused(page, /^Skip to/);
    await tabTo(page, /^Connect wallet$/);
    await press(page, "Enter");
    await page.getByRole("dialog", { name: "Connect a wallet" }).waitFor();
    await expect.poll(() => isInDialog(page)).toBe(true);
    await tabTo(page, /^Other Wallet$/);
    await press(page, "Escape");
    await untilClosed(page);
    await untilFocused(page, /^Connect wallet$/);

    await press(page, "Enter");
    await page.getByRole("dialog").waitFor();
    // The dialog keeps the focus: elements behind it cannot be reached.
    await tabTo(page, /^Other Wallet$/);
    await tabTo(page, /^Close$/);
    await tabTo(page, /^Chosen Wallet$/);
    expect(await isInDialog(page)).toBe(true);
    await press(page, "Enter");
    await untilClosed(page);
    // The pressed button is gone; the account is in its place.
    await page.getByRole("banner").getByTitle(chosen.account.address, { exact: true }).waitFor();
    await untilFocused(page, new RegExp(chosen.account.address, "i"));
    expect([chosen.of("eth_requestAccounts").length, other.asked]).toEqual([1, []]);

    await tabTo(page, /^You pay/);
    await page.keyboard.type("0.01");
    let isAsked = false;
    chosen.behave("personal_sign", () => {
      isAsked = true;
      return new Promise(() => {});
    });
    await tabTo(page, /^Sign in to review$/);
    await press(page, "Enter");
    await page.getByRole("dialog", { name: "Sign in" }).waitFor();
    await expect.poll(() => isAsked).toBe(true);
    await press(page, "Escape");
    await untilClosed(page);
    await untilFocused(page, /^Sign in to review$/);
    chosen.behave("personal_sign", null);
    await press(page, "Enter");
    await page.getByRole("dialog", { name: "Sign in" }).waitFor();
    // The review opens as soon as the quote has arrived.
    await page.getByRole("dialog", { name: /^Buy / }).waitFor();
    await press(page, "Escape");
    await untilClosed(page);
    await untilFocused(page, /^Review/);

    await press(page, "Enter");
    await page.getByRole("dialog").waitFor();
    await tabTo(page, /^Buy for/);
    await press(page, "Enter");
    await page.getByRole("button", { name: "Trade again" }).waitFor();
    await tabTo(page, /^Trade again$/);
    await press(page, "Enter");
    await untilClosed(page);
    // The input is empty, so the button is disabled: the focus stays in its part of the page.
    const isInBox = () =>
      findTradeBox(page).evaluate((box) => box.contains(document.activeElement) && box !== document.activeElement);
    await expect.poll(isInBox).toBe(true);
    expect([chosen.of("eth_sendTransaction").length, chosen.of("personal_sign").length]).toEqual([1, 2]);

    // Two links lead past the navigation and past the chart. The rows of the trades have one stop each.
    await tab.goto(`/t/${site.stack.tokens[0]}`);
    await findTradeBox(page).getByLabel("You pay").waitFor();
    await press(page, "Tab");
    await press(page, "Enter");
    await tabTo(page, /^Skip to trade$/, 2);
    await press(page, "Enter");
    await tabTo(page, /^You pay/, 3);
    const row = page.getByRole("table", { name: "Trades, newest first" }).locator("tbody tr").first();
    await row.getByRole("link").focus();
    await press(page, "ArrowRight");
    await untilFocused(page, /^Copy 0x/);
    await press(page, "ArrowLeft");
    await untilFocused(page, /^0x/);
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });
});
