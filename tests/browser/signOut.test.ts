import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect } from "../support/browser/journeys.ts";
import { type OpenSite, openSite, type SitePage } from "../support/browser/openSite.ts";
import { holdNextTransaction, type TestWallet } from "../support/browser/testWallet.ts";

let site: OpenSite;

beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site?.close());

const choose = async ({ page }: SitePage, wallet: TestWallet, item: string) => {
  await page.getByRole("banner").getByTitle(wallet.account.address).click();
  await page.getByRole("menuitem", { name: item, exact: true }).click();
};
const readName = ({ page }: SitePage) => page.getByLabel("Name", { exact: true }).inputValue();
/** What the browser keeps beside its choice of wallet and theme. */
const readKept = ({ page }: SitePage) =>
  page.evaluate(() =>
    Object.entries({ ...localStorage, ...sessionStorage }).filter(
      ([key, value]) => key.startsWith("slipway.") && !["slipway.wallet"].includes(key) && value !== "[]",
    ),
  );

/** Types a launch, and signs in. */
async function typeLaunch(wallet: TestWallet, name: string, symbol: string): Promise<SitePage> {
  const tab = await site.openPage({ wallets: [wallet], path: "/launch" });
  const { page } = tab;
  await connect(page);
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Symbol").fill(symbol);
  await page.getByLabel("Or the URI of a picture").fill("https://cdn.example/seal.png");
  await page.getByRole("button", { name: "Sign in to review" }).click();
  await page.getByRole("button", { name: "Review", exact: true }).waitFor();
  return tab;
}

describe("signing out", () => {
  it("takes what the account has typed from the page and from the browser", async () => {
    const wallet = await site.takeWallet();
    const tab = await typeLaunch(wallet, "Private plans", "PLAN");
    // What was typed before the sign-in is the account's.
    expect(await readName(tab)).toBe("Private plans");
    await choose(tab, wallet, "Sign out");
    await expect.poll(() => readName(tab)).toBe("");
    expect(await readKept(tab)).toEqual([]);
    await tab.page.reload();
    expect(await readName(tab)).toBe("");
    expect(tab.problems()).toEqual([]);
    await tab.context.close();
  });

  it("shows nothing of one account to another that signs in after its session was lost", async () => {
    const [first, second] = [await site.takeWallet(), await site.takeWallet()];
    const tab = await typeLaunch(first, "Of the first", "FIRST");
    const { page } = tab;
    await page.getByLabel("Name", { exact: true }).fill("Of the first account");
    await tab.context.clearCookies();
    await page.getByRole("button", { name: "Review", exact: true }).click();
    // The session has ended by itself: who signs in again goes on.
    await page.getByRole("button", { name: "Review", exact: true }).waitFor();
    expect(await readName(tab)).toBe("Of the first account");

    await tab.context.clearCookies();
    await page.reload();
    await page.getByRole("button", { name: "Sign in to review" }).waitFor();
    await first.switchAccount(second.privateKey);
    await page.getByRole("banner").getByTitle(second.account.address).waitFor();
    await page.getByRole("button", { name: "Sign in to review" }).click();
    await page.getByRole("button", { name: "Review", exact: true }).waitFor();
    await expect.poll(() => readName(tab)).toBe("");
    expect(tab.problems([401])).toEqual([]);
    await tab.context.close();
  });

  it("loses nothing of a launch under way, which goes on after signing in again, and sends nothing twice", async () => {
    const wallet = await site.takeWallet();
    const tab = await typeLaunch(wallet, "Token OARS", "OARS");
    const { page } = tab;
    await page.getByRole("button", { name: "Review", exact: true }).click();
    const launch = page.getByRole("button", { name: "Launch OARS" });
    await launch.waitFor();
    const release = holdNextTransaction(wallet);
    await launch.click();
    await page.getByText("Sent, waiting for the chain").waitFor();
    await choose(tab, wallet, "Sign out");
    await page.getByRole("button", { name: "Sign in to open this draft" }).waitFor();
    expect(await readKept(tab)).toEqual([]);
    await page.getByRole("button", { name: "Sign in to open this draft" }).click();
    await launch.click();
    await page.getByText("Wait for an earlier transaction of this wallet").waitFor();
    expect(await tab.findBarriers()).toEqual([]);
    release();
    await page.waitForURL(/\/t\/0x[0-9a-fA-F]{40}/);
    expect([wallet.of("eth_sendTransaction").length, wallet.of("personal_sign").length]).toEqual([2, 2]);
    expect(tab.problems()).toEqual([]);
    await tab.context.close();
  });
});
