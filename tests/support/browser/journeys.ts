import type { Locator, Page } from "playwright-core";
import type { OpenSite, SitePage } from "./openSite.ts";
import type { TestWallet } from "./testWallet.ts";

/** Returns the part of a token's page that trades. */
export const findTradeBox = (page: Page): Locator => page.getByRole("region", { name: "Trade", exact: true });

/** Connects the only wallet with the button of a part of the page. */
export async function connect(page: Page, within: Locator = page.locator("main"), name = "Test Wallet"): Promise<void> {
  await within.getByRole("button", { name: "Connect wallet" }).click();
  await page.getByRole("dialog").getByRole("button", { name }).click();
  await page.getByRole("dialog").waitFor({ state: "hidden" });
}

/** Connects on a token's page, signs in with the button of the trade box, and closes the review that opens. */
export async function connectAndSignIn(page: Page, amount: string): Promise<void> {
  const box = findTradeBox(page);
  await box.getByLabel("You pay").fill(amount);
  await connect(page, box);
  await box.getByRole("button", { name: "Sign in to review" }).click();
  const review = page.getByRole("dialog", { name: /^(Buy|Sell) / });
  await review.getByRole("button", { name: "Close" }).click();
  await review.waitFor({ state: "hidden" });
  await box.getByRole("button", { name: /^Review/, disabled: false }).waitFor();
}

/** Enters the amount of a trade on a token's page whose visitor is signed in. */
export async function enterAmount(page: Page, amount: string): Promise<void> {
  const box = findTradeBox(page);
  await box.getByLabel("You pay").fill(amount);
  await box.getByRole("button", { name: /^Review/, disabled: false }).waitFor();
}

/** Reviews and confirms the trade in the trade box. */
export async function confirmTrade(page: Page, confirm: RegExp): Promise<void> {
  await findTradeBox(page)
    .getByRole("button", { name: /^Review/ })
    .click();
  await page.getByRole("dialog").getByRole("button", { name: confirm }).click();
}

type ReviewOptions = {
  /** Changes the form before it is stored. */
  fill?: (tab: SitePage) => Promise<void>;
  /** Set if the test controls the page's clock (`page.clock`). */
  clock?: boolean;
  /** Set if the visitor connects the wallet in the form and signs in for the review. */
  isNew?: boolean;
};

/** Opens the launch form, fills it in and stores the draft; the page then shows its review. */
export async function openReview(
  site: OpenSite,
  wallet: TestWallet,
  symbol: string,
  { fill, clock = false, isNew = false }: ReviewOptions = {},
): Promise<SitePage> {
  const tab = await site.openPage(isNew ? { wallets: [wallet] } : { signedIn: wallet });
  const { page } = tab;
  if (clock) await page.clock.install();
  await tab.goto("/launch");
  if (isNew) await connect(page);
  await page.getByLabel("Name", { exact: true }).fill(`Token ${symbol}`);
  await page.getByLabel("Symbol").fill(symbol);
  await page.getByLabel("Or image URI").fill("https://cdn.example/seal.png");
  await fill?.(tab);
  await page.getByRole("button", { name: isNew ? "Sign in to review" : "Review", exact: true }).click();
  await page.getByRole("button", { name: `Launch ${symbol}` }).waitFor();
  return tab;
}

/** Opens or closes a part of the launch form that shows only its value. */
export const unfold = (page: Page, name: string) =>
  page
    .locator("summary")
    .filter({ hasText: new RegExp(`^${name}`) })
    .click();

/** Presses the button of the review. */
export const launch = ({ page }: SitePage, symbol: string) =>
  page.getByRole("button", { name: `Launch ${symbol}` }).click();

/** Waits for the page of the launched token. */
export const untilLaunched = ({ page }: SitePage) => page.waitForURL(/\/t\/0x[0-9a-fA-F]{40}/);

/** Opens a page, and waits until its live stream is open: a page without one does not warn that live data are paused. */
export async function openLivePage(tab: SitePage, path: string): Promise<void> {
  const opened = tab.page.waitForResponse(/\/api\/v1\/launchpad\/stream/);
  await tab.goto(path);
  await opened;
}
