import { beforeAll, describe, expect, it } from "vitest";
import { connect } from "../support/browser/journeys.ts";
import { type OpenSite, openSharedSite, type SitePage } from "../support/browser/openSite.ts";
import { holdNextTransaction, type TestWallet } from "../support/browser/testWallet.ts";

let site: OpenSite;

beforeAll(async () => {
  site = await openSharedSite();
});

const choose = async ({ page }: SitePage, wallet: TestWallet, item: string) => {
  await page.getByRole("banner").getByTitle(wallet.account.address).click();
  await page.getByRole("menuitem", { name: item, exact: true }).click();
};
const readName = ({ page }: SitePage) => page.getByLabel("Name", { exact: true }).inputValue();
/** Returns the browser's storage besides its choice of wallet and theme. */
const readKept = ({ page }: SitePage) =>
  page.evaluate(() =>
    Object.entries({ ...localStorage, ...sessionStorage }).filter(
      ([key, value]) => key.startsWith("slipway.") && !["slipway.wallet"].includes(key) && value !== "[]",
    ),
  );

/** Waits until the launch form has read the session: until then, its button is disabled. */
const waitForSession = ({ page }: SitePage) =>
  expect.poll(() => page.getByRole("button", { name: "Review", exact: true }).isEnabled()).toBe(true);

/** Fills in the launch form, and signs in on another page: a sign-in on the form's page continues with the review. */
async function typeLaunch(wallet: TestWallet, name: string, symbol: string): Promise<SitePage> {
  const tab = await site.openPage({ wallets: [wallet], path: "/launch" });
  const { page } = tab;
  await connect(page);
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Symbol").fill(symbol);
  await page.getByLabel("Or image URI").fill("https://cdn.example/seal.png");
  await tab.goto("/account");
  await page.getByRole("button", { name: "Sign in to your account" }).click();
  await page.getByRole("heading", { name: "Account" }).waitFor();
  await page.getByLabel("Name", { exact: true }).waitFor();
  await tab.goto("/launch");
  await waitForSession(tab);
  return tab;
}

describe("signing out", () => {
  it("takes what the account has typed from the page and from the browser", async () => {
    const wallet = await site.takeWallet();
    const tab = await typeLaunch(wallet, "Private plans", "PLAN");
    // Text typed before the sign-in belongs to the account.
    expect(await readName(tab)).toBe("Private plans");
    await choose(tab, wallet, "Sign out");
    await expect.poll(() => readName(tab)).toBe("");
    expect(await readKept(tab)).toEqual([]);
    await tab.page.reload();
    expect(await readName(tab)).toBe("");
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });

  it("shows nothing of one account to another that signs in after its session was lost", async () => {
    const [first, second] = [await site.takeWallet(), await site.takeWallet()];
    const tab = await typeLaunch(first, "Of the first", "FIRST");
    const { page } = tab;
    await page.getByLabel("Name", { exact: true }).fill("Of the first account");
    await tab.context.clearCookies();
    await page.getByRole("button", { name: "Review", exact: true }).click();
    // The session has ended by itself: the same account continues after a new sign-in.
    await page.getByRole("button", { name: "Launch FIRST" }).waitFor();

    await tab.context.clearCookies();
    await tab.goto("/launch");
    expect(await readName(tab)).toBe("Of the first account");
    const stored: string[] = [];
    page.on("request", (request) => {
      if (request.method() !== "GET" && request.url().includes("/intents")) stored.push(request.url());
    });
    await page.getByRole("button", { name: "Sign in to review" }).waitFor();
    await first.switchAccount(second.privateKey);
    await page.getByRole("banner").getByTitle(second.account.address).waitFor();
    await page.getByRole("button", { name: "Sign in to review" }).click();
    await page.getByRole("button", { name: "Review", exact: true }).waitFor();
    await expect.poll(() => readName(tab)).toBe("");
    // The sign-in does not store the form of the first account as a draft of the second.
    expect([new URL(page.url()).pathname, stored]).toEqual(["/launch", []]);
    expect(tab.problems([401])).toEqual([]);
    await tab.close();
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
    await page.getByText("Sent, waiting for confirmation").waitFor();
    await choose(tab, wallet, "Sign out");
    await page.getByRole("button", { name: "Sign in to open the draft" }).waitFor();
    expect(await readKept(tab)).toEqual([]);
    await page.getByRole("button", { name: "Sign in to open the draft" }).click();
    await launch.click();
    await page.getByText("Waiting for this wallet's earlier transaction").waitFor();
    expect(await tab.findBarriers()).toEqual([]);
    release();
    await page.waitForURL(/\/t\/0x[0-9a-fA-F]{40}/);
    expect([wallet.of("eth_sendTransaction").length, wallet.of("personal_sign").length]).toEqual([2, 2]);
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });
});

describe("another tab of the browser", () => {
  const openBeside = async (tab: SitePage, wallet: TestWallet, path: string) => {
    const beside = await site.openPage({ wallets: [wallet], beside: tab, path });
    await beside.page.getByRole("banner").getByTitle(wallet.account.address).waitFor();
    return beside;
  };
  const openMenu = async ({ page }: SitePage, wallet: TestWallet) => {
    await page.getByRole("banner").getByTitle(wallet.account.address).click();
    await page.getByRole("menuitem", { name: "Disconnect" }).waitFor();
  };
  const isSignedIn = async (tab: SitePage, wallet: TestWallet) => {
    await openMenu(tab, wallet);
    const count = await tab.page.getByRole("menuitem", { name: "Sign out" }).count();
    await tab.page.keyboard.press("Escape");
    await tab.page.getByRole("menuitem", { name: "Disconnect" }).waitFor({ state: "hidden" });
    return count === 1;
  };

  it("shows nothing of the account once it has signed out, and is signed in with the tab that signs in", async () => {
    const wallet = await site.takeWallet();
    const tab = await typeLaunch(wallet, "Private plans", "PLAN");
    const [form, account, token] = [
      await openBeside(tab, wallet, "/launch"),
      await openBeside(tab, wallet, "/account"),
      await openBeside(tab, wallet, `/t/${site.stack.tokens[0]}`),
    ];
    await expect.poll(() => readName(form)).toBe("Private plans");
    await account.page.getByRole("heading", { name: "Account" }).waitFor();
    await account.page.getByLabel("Name", { exact: true }).waitFor();
    await expect.poll(() => isSignedIn(token, wallet)).toBe(true);
    await token.page.evaluate(() => sessionStorage.setItem("slipway.without_permits", '["refused in this tab"]'));

    await choose(tab, wallet, "Sign out");
    await expect.poll(() => readName(form)).toBe("");
    await account.page.getByRole("button", { name: "Sign in to your account" }).waitFor();
    expect(await account.page.getByLabel("Name", { exact: true }).count()).toBe(0);
    await expect.poll(() => isSignedIn(token, wallet)).toBe(false);
    for (const each of [tab, form, account, token]) await expect.poll(() => readKept(each)).toEqual([]);

    await account.page.getByRole("button", { name: "Sign in to your account" }).click();
    await tab.page.getByRole("button", { name: "Review", exact: true }).waitFor();
    await account.page.getByLabel("Name", { exact: true }).waitFor();
    await form.page.getByRole("button", { name: "Review", exact: true }).waitFor();
    await expect.poll(() => isSignedIn(token, wallet)).toBe(true);
    expect(wallet.of("personal_sign")).toHaveLength(2);

    await choose(tab, wallet, "Disconnect");
    for (const each of [tab, form, account, token])
      await each.page.getByRole("banner").getByRole("button", { name: "Connect wallet" }).waitFor();
    expect([tab, form, account, token].flatMap((each) => each.problems())).toEqual([]);
    await tab.close();
  });

  it("has nothing of the account in its memory either: the next one that signs in does not see it", async () => {
    const [first, second] = [await site.takeWallet(), await site.takeWallet()];
    const tab = await typeLaunch(first, "Private plans", "PLAN");
    await tab.page.getByRole("button", { name: "Review", exact: true }).click();
    await tab.page.getByRole("button", { name: "Launch PLAN" }).waitFor();
    const drafts = await openBeside(tab, first, "/drafts");
    const link = drafts.page.getByRole("link", { name: "Continue PLAN" });
    await link.waitFor();
    await choose(tab, first, "Sign out");
    await link.waitFor({ state: "detached" });
    await drafts.page.getByRole("button", { name: /^Sign in/ }).waitFor();

    // The answer for the second account is delayed: until then the page shows only data from memory.
    const held = Promise.withResolvers<void>();
    let isAsked = false;
    await drafts.page.route(/\/launchpad\/intents/, async (route) => {
      isAsked = true;
      await held.promise;
      await route.continue();
    });
    await first.switchAccount(second.privateKey);
    await tab.page.getByRole("banner").getByTitle(second.account.address).waitFor();
    await tab.page.getByRole("button", { name: "Sign in to open the draft" }).click();
    await expect.poll(() => isAsked).toBe(true);
    expect(await drafts.page.getByRole("button", { name: /^Sign in/ }).count()).toBe(0);
    expect(await link.count()).toBe(0);
    held.resolve();
    await drafts.page.getByText("No drafts yet.").waitFor();
    expect(await link.count()).toBe(0);
    expect([...tab.problems([404]), ...drafts.problems()]).toEqual([]);
    await tab.close();
  });

  it("goes on with what was typed when the session has ended by itself in one of them", async () => {
    const wallet = await site.takeWallet();
    const tab = await typeLaunch(wallet, "Kept plans", "KEPT");
    const beside = await openBeside(tab, wallet, "/launch");
    await waitForSession(beside);
    await tab.context.clearCookies();
    await beside.page.getByRole("button", { name: "Review", exact: true }).click();
    // The tab with the rejected request signs in again and reviews the earlier text; the other tab keeps it.
    await beside.page.getByRole("button", { name: "Launch KEPT" }).waitFor();
    expect(wallet.of("personal_sign")).toHaveLength(2);
    await tab.page.getByRole("button", { name: "Review", exact: true }).waitFor();
    expect(await readName(tab)).toBe("Kept plans");
    expect([...tab.problems([401]), ...beside.problems([401])]).toEqual([]);
    await tab.close();
  });
});
