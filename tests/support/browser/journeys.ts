import type { Locator, Page } from "playwright-core";

/** The part of a token's page that trades. */
export const findTradeBox = (page: Page): Locator => page.getByRole("region", { name: "Trade", exact: true });

/** Connects the only wallet by the button of a part of the page. */
export async function connect(page: Page, within: Locator = page.locator("main"), name = "Test Wallet"): Promise<void> {
  await within.getByRole("button", { name: "Connect wallet" }).click();
  await page.getByRole("dialog").getByRole("button", { name }).click();
  await page.getByRole("dialog").waitFor({ state: "hidden" });
}

/** Connects on a token's page, and signs in by the step that the trade box names. */
export async function connectAndSignIn(page: Page, amount: string): Promise<void> {
  const box = findTradeBox(page);
  await box.getByLabel("You pay").fill(amount);
  await connect(page, box);
  await box.getByRole("button", { name: "Sign in for an exact quote" }).click();
  await box.getByRole("button", { name: /^Review/, disabled: false }).waitFor();
}

/** Reviews what the trade box has, and confirms it. */
export async function confirmTrade(page: Page, confirm: RegExp): Promise<void> {
  await findTradeBox(page)
    .getByRole("button", { name: /^Review/ })
    .click();
  await page.getByRole("dialog").getByRole("button", { name: confirm }).click();
}
