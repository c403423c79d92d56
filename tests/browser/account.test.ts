import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { beforeAll, describe, expect, it } from "vitest";
import { untilDrawn } from "../support/browser/demoPages.ts";
import { connect } from "../support/browser/journeys.ts";
import { type OpenSite, openSharedSite, type SitePage } from "../support/browser/openSite.ts";
import type { TestWallet } from "../support/browser/testWallet.ts";
import { draw } from "../support/images/pictures.ts";

let site: OpenSite;

beforeAll(async () => {
  site = await openSharedSite();
});

/** Signing in needs no funds: every test has its own wallets. */
const takeWallet = (privateKey = generatePrivateKey()) => site.createWallet({ ...site.stack.wallets[0]!, privateKey });

/** Opens a page of a new account, signed in. */
async function openAccount(path = "/account", context: object = {}): Promise<{ tab: SitePage; wallet: TestWallet }> {
  const wallet = takeWallet();
  const tab = await site.openPage({ signedIn: wallet, path, context });
  return { tab, wallet };
}

const confirm = (page: Page, name: string) => page.getByRole("dialog").getByRole("button", { name }).click();
/** Makes the service reject the next request, like a request of a session that is too old. */
const refuseOnce = async (page: Page, path: string, method: string) => {
  let isRefused = false;
  await page.route(`**${path}`, async (route) => {
    if (isRefused || route.request().method() !== method) return await route.fallback();
    isRefused = true;
    const error = { code: "reauthentication_required", message: "Sign in again.", request_id: "r", retryable: false };
    await route.fulfill({ status: 403, json: { error } });
  });
};
const listing = "A ferry that carries people, bicycles and letters.";

async function fillListing(page: Page, name: string): Promise<void> {
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Category").selectOption({ label: "Travel and lodging" });
  await page.getByLabel("Description").fill(listing);
  await page.getByLabel("Website", { exact: true }).fill("https://ferry.example/");
}

async function publish(page: Page, name: string): Promise<string> {
  await fillListing(page, name);
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.waitForURL(/\/business\/[0-9a-f-]{36}$/);
  return new URL(page.url()).pathname;
}

describe("the pages of an account", () => {
  it("are reached by their navigation on a phone, and never scroll sideways", async () => {
    const { tab } = await openAccount("/account", { viewport: { width: 360, height: 900 } });
    const { page } = tab;
    for (const part of [
      "Wallets",
      "Links",
      "API keys",
      "Sessions",
      "Plan and credits",
      "Listings",
      "Events",
      "Your data",
    ]) {
      await page.getByRole("navigation", { name: "Account sections" }).getByRole("link", { name: part }).click();
      await page.getByRole("heading", { level: 1, name: part }).waitFor();
      await untilDrawn(page);
      const overflow = () =>
        page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      expect([part, await overflow()]).toEqual([part, 0]);
    }
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });

  it("name the account, say what the operator has not configured, and end another browser's session", async () => {
    const { tab, wallet } = await openAccount();
    const { page } = tab;
    await page.getByLabel("Name", { exact: true }).fill("‮<b>Ferry</b>");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    await page.reload();
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("‮<b>Ferry</b>");

    const other = await site.openPage({ wallets: [wallet], path: "/account/sessions" });
    await other.page
      .getByRole("banner")
      .getByRole("button", { name: /Account|Connect/ })
      .first()
      .waitFor();
    if (await other.page.getByRole("main").getByRole("button", { name: "Connect wallet" }).isVisible())
      await connect(other.page);
    await other.page.getByRole("button", { name: "Sign in to your account" }).click();
    await other.page.getByRole("button", { name: "End all others" }).click();
    await confirm(other.page, "End all others");
    await other.page.getByText("1 session ended.").waitFor();
    expect(other.problems()).toEqual([]);
    await other.close();

    await tab.goto("/account/links");
    await page.getByRole("button", { name: "Sign in to your account" }).click();
    await page.getByText("CODE_HOST_CLIENT_ID").waitFor();
    await tab.goto("/account/events");
    await page.getByText("Session ended").waitFor();
    // The session had ended: the page sent one request, which was rejected.
    expect(tab.problems([401])).toEqual([]);
    await tab.close();
  });
});

describe("an API key", () => {
  it("C10-40 is shown once, and is in no storage, URL, later page or message of the console", async () => {
    const { tab } = await openAccount("/account/keys");
    const { page } = tab;
    const said: string[] = [];
    page.on("console", (message) => said.push(message.text()));
    await page.getByLabel("Name", { exact: true }).fill("Harbour bot");
    await page.getByRole("checkbox", { name: /^write/ }).check();
    await refuseOnce(page, "/api/account/keys", "POST");
    await page.getByRole("button", { name: "Create key" }).click();
    const secret = (await page.getByTestId("secret").textContent())!;
    const headers = { authorization: `Bearer ${secret}` };
    const drafts = `${site.url}/api/v1/launchpad/intents`;
    expect((await fetch(drafts, { headers })).status).toBe(200);

    await page.getByRole("button", { name: "I saved it" }).click();
    await page.getByRole("button", { name: "Create key" }).waitFor();
    const kept = () =>
      page.evaluate(async () =>
        JSON.stringify([
          { ...localStorage },
          { ...sessionStorage },
          history.state,
          location.href,
          document.documentElement.outerHTML,
          await caches.keys(),
        ]),
      );
    expect(await kept()).not.toContain(secret);
    await page.reload();
    await page.getByRole("button", { name: "Revoke Harbour bot" }).waitFor();
    expect(await kept()).not.toContain(secret);
    expect(said.join()).not.toContain(secret);

    await page.getByRole("button", { name: "Revoke Harbour bot" }).click();
    await confirm(page, "Revoke");
    await page.getByText("No API keys yet.").waitFor();
    await expect.poll(async () => (await fetch(drafts, { headers })).status).toBe(401);
    expect(tab.problems([403])).toEqual([]);
    await tab.close();
  });
});

describe("the wallets of an account", () => {
  it("C10-41 are linked by their own signatures; another wallet never signs in in the account's place", async () => {
    const { tab, wallet } = await openAccount("/account/wallets");
    const { page } = tab;
    const first = wallet.account.address;
    const privateKey = generatePrivateKey();
    const second = privateKeyToAddress(privateKey);
    await page.getByText("is already linked").waitFor();
    await wallet.switchAccount(privateKey);
    await refuseOnce(page, "/api/account/wallets", "POST");
    const link = page.getByRole("button", { name: /^Link 0x/ });
    await link.click();
    await page.getByText("The connected wallet doesn't belong to this account").waitFor();
    expect(wallet.of("personal_sign")).toHaveLength(1);
    await link.click();
    await page.getByText("is already linked").waitFor();
    const message = Buffer.from(wallet.of("personal_sign").at(-1)![0].slice(2), "hex").toString();
    expect(message).toContain(second);
    expect(message).toContain("Link this wallet to your Slipway account");

    await page.getByRole("combobox", { name: "Payout wallet" }).selectOption(second);
    await page.getByText("Saved.").waitFor();
    const short = `${second.slice(0, 6)}…${second.slice(-4)}`;
    await page.getByRole("button", { name: `Unlink ${short}` }).click();
    await page.getByText("This ends the sessions opened with this wallet").waitFor();
    await confirm(page, "Unlink");
    await expect.poll(() => page.getByRole("list", { name: "Sign-in wallets" }).getByRole("listitem").count()).toBe(1);
    expect(await page.getByRole("combobox", { name: "Payout wallet" }).inputValue()).toBe("");
    await page.getByRole("list", { name: "Sign-in wallets" }).getByTitle(first).waitFor();
    expect(tab.problems([403])).toEqual([]);
    await tab.close();
  });
});

describe("a business", () => {
  it("is not published before the session is read, and no sign-in is offered meanwhile", async () => {
    const { tab } = await openAccount();
    const { page } = tab;
    const session = Promise.withResolvers<void>();
    await page.route("**/api/auth/session", async (route) => {
      await session.promise;
      await route.continue();
    });
    await tab.goto("/business/new");
    const publishButton = page.getByRole("button", { name: "Publish", exact: true });
    await publishButton.waitFor();
    expect(await publishButton.getAttribute("aria-busy")).toBe("true");
    expect(await page.getByRole("button", { name: "Sign in to publish" }).count()).toBe(0);
    session.resolve();
    await publishButton.click();
    await page.getByText("Fix the errors above.").waitFor();
    expect(tab.problems([422])).toEqual([]);
    await tab.close();
  });

  it("is published by the sign-in that its button asks for, but never with the text of another account", async () => {
    const wallet = takeWallet();
    const tab = await site.openPage({ wallets: [wallet], path: "/business/new" });
    const { page } = tab;
    const signInButton = page.getByRole("button", { name: "Sign in to publish" });
    await connect(page);
    await fillListing(page, "One press");
    await signInButton.click();
    await page.getByRole("heading", { name: "One press" }).waitFor();

    // The session ends in another tab while the form is open, and another account signs in.
    await tab.goto("/business/new");
    await page.getByRole("button", { name: "Publish", exact: true, disabled: false }).waitFor();
    await fillListing(page, "Of the first account");
    const other = await site.openPage({ beside: tab, path: "/directory" });
    await other.page.evaluate(() => localStorage.removeItem("slipway.signed_in"));
    await signInButton.waitFor();
    const privateKey = generatePrivateKey();
    await wallet.switchAccount(privateKey);
    await page.getByRole("banner").getByTitle(privateKeyToAddress(privateKey)).waitFor();
    const sent: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST" && request.url().endsWith("/businesses")) sent.push(request.url());
    });
    await signInButton.click();
    const publishButton = page.getByRole("button", { name: "Publish", exact: true, disabled: false });
    await publishButton.waitFor();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    expect([sent, new URL(page.url()).pathname]).toEqual([[], "/business/new"]);
    // The user of the second account decides.
    await publishButton.click();
    await page.getByRole("heading", { name: "Of the first account" }).waitFor();
    expect(sent).toHaveLength(1);
    expect([...tab.problems(), ...other.problems()]).toEqual([]);
    await tab.close();
  });

  it("is corrected where the service says so, published, proven, edited and withdrawn", async () => {
    const { tab } = await openAccount("/business/new");
    const { page } = tab;
    await page.getByLabel("Email").fill("no address");
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByText("Fix the errors above.").waitFor();
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-invalid"))).toBe("true");
    expect(await page.getByLabel("Email").getAttribute("aria-invalid")).toBe("true");
    expect(await page.locator("[aria-invalid=true]").count()).toBe(4);
    expect(await tab.findBarriers()).toEqual([]);
    // The typed text is still there.
    expect(await page.getByLabel("Email").inputValue()).toBe("no address");
    await page.getByLabel("Email").fill("ferry@example.com");
    await page.getByLabel("Choose image").setInputFiles({
      ...{ name: "ferry.png", mimeType: "image/png", buffer: await draw().png().toBuffer() },
    });
    const path = await publish(page, "Ferry Line");
    await page.getByRole("button", { name: "Get code" }).click();
    await page.getByText("https://ferry.example/.well-known/slipway.txt").waitFor();
    await page.getByText("_slipway.ferry.example").waitFor();
    expect(await tab.findBarriers()).toEqual([]);

    await page.getByRole("link", { name: "Edit", exact: true }).click();
    await page.getByLabel("Name", { exact: true }).fill("Ferry Line 2");
    expect(await tab.findBarriers()).toEqual([]);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Ferry Line 2" }).waitFor();
    await tab.goto("/account/listings");
    await page.getByRole("button", { name: "Withdraw Ferry Line 2" }).click();
    await confirm(page, "Withdraw");
    await page.getByText("No listings yet.").waitFor();
    await tab.goto(path);
    await page.getByText("Listing not found").waitFor();
    expect(tab.problems([404, 422])).toEqual([]);
    await tab.close();
  });

  it("C10-42 is not replaced unseen when it was changed elsewhere", async () => {
    const { tab } = await openAccount("/business/new");
    const { page } = tab;
    const path = await publish(page, "Two tabs");
    const other = await site.openPage({ beside: tab, path: `${path}/edit` });
    await tab.goto(`${path}/edit`);
    await page.getByLabel("Name", { exact: true }).fill("The first one");
    await other.page.getByLabel("Name", { exact: true }).fill("The second one");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "The first one" }).waitFor();
    await other.page.getByRole("button", { name: "Save" }).click();
    await other.page.getByText("was changed elsewhere after you opened it").waitFor();
    expect(await other.page.getByLabel("Name", { exact: true }).inputValue()).toBe("The second one");
    await other.page.getByRole("button", { name: "Save" }).click();
    await other.page.getByRole("heading", { name: "The second one" }).waitFor();
    expect([...tab.problems(), ...other.problems([412])]).toEqual([]);
    await tab.close();
  });

  it("C10-43 is text wherever it is shown, and is edited by its own account alone", async () => {
    const { tab } = await openAccount("/business/new");
    const { page } = tab;
    const name = "<img src=x onerror=alert(1)>";
    const path = await publish(page, name);
    await page.getByRole("heading", { name }).waitFor();
    await tab.goto("/account/listings");
    await page.getByRole("link", { name, exact: true }).waitFor();
    expect(tab.problems()).toEqual([]);
    await tab.close();

    const { tab: stranger } = await openAccount(path);
    await stranger.page.getByRole("heading", { name }).waitFor();
    expect(await stranger.page.getByText("Your listing").count()).toBe(0);
    await stranger.page.getByRole("button", { name: "Report" }).click();
    await stranger.page.getByLabel("Reason").selectOption({ label: "Scam" });
    await stranger.page.getByLabel("Details").fill("It is no ferry.");
    expect(await stranger.findBarriers()).toEqual([]);
    await stranger.page.getByRole("button", { name: "Send report" }).click();
    await stranger.page.getByText("Report sent").waitFor();
    await stranger.goto(`${path}/edit`);
    await stranger.page.getByText("Listing not found in this account").waitFor();
    expect(stranger.problems()).toEqual([]);
    await stranger.close();
  });
});

describe("a report", () => {
  it("of a token and of a picture needs no account, and says why it was not sent", async () => {
    const tab = await site.openPage({ path: `/t/${site.stack.tokens[0]}` });
    const { page } = tab;
    const report = async () => {
      await page.getByRole("button", { name: /^Report/ }).click();
      await page.getByRole("button", { name: "Send report" }).click();
    };
    await report();
    await page.getByText("Report sent").waitFor();
    await page.route("**/gallery?**", async (route) => {
      const urls = Object.fromEntries([64, 256, 512, 1024].map((size) => [size, `${site.url}/icon.svg?${size}`]));
      const image = { sha256: "no hash", urls, alt: "", dominant_color: "#112233" };
      const token = { address: site.stack.tokens[0], name: "Harbor Light", symbol: "HARBOR", market_cap_usd: null };
      await route.fulfill({ json: { items: [{ token, image }], next_cursor: null, total: 1 } });
    });
    await tab.goto("/gallery");
    expect(await tab.findBarriers()).toEqual([]);
    await report();
    await page.getByText("must be 64 hex digits").waitFor();
    expect(await tab.findBarriers()).toEqual([]);
    expect(tab.problems([400, 422])).toEqual([]);
    await tab.close();
  });
});

describe("the data of an account", () => {
  it("C10-44 are downloaded, and deleted only after the typed words and a new sign-in", async () => {
    const { tab, wallet } = await openAccount("/account/data");
    const { page } = tab;
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download data" }).click(),
    ]);
    const stored = JSON.parse(await readFile((await file.path())!, "utf8"));
    expect(stored.wallets[0].address).toBe(wallet.account.address);

    await page.getByRole("button", { name: "Delete account" }).click();
    const button = page.getByRole("dialog").getByRole("button", { name: "Delete account" });
    await page.getByLabel("Type").fill("delete my accoun");
    expect(await button.isDisabled()).toBe(true);
    await page.getByLabel("Type").press("Enter");
    await page.getByLabel("Type").fill("delete my account");
    expect(await tab.findBarriers()).toEqual([]);
    await refuseOnce(page, "/api/account", "DELETE");
    const before = wallet.of("personal_sign").length;
    await button.click();
    await page.waitForURL(`${site.url}/`);
    expect(wallet.of("personal_sign")).toHaveLength(before + 1);
    await tab.goto("/account");
    await page.getByRole("button", { name: "Sign in to your account" }).waitFor();
    expect(await page.evaluate(() => localStorage.getItem("slipway.signed_in"))).toBeNull();
    expect(tab.problems([403])).toEqual([]);
    await tab.close();
  });

  it("C10-45 are not shown to the next account that signs in with the same browser", async () => {
    const { tab, wallet } = await openAccount();
    const { page } = tab;
    await page.getByLabel("Name", { exact: true }).fill("The first person");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    await page.getByRole("banner").getByTitle(wallet.account.address.toLowerCase()).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign in to your account" }).waitFor();
    await wallet.switchAccount(generatePrivateKey());
    await page.route("**/api/account", async (route) => {
      await expect.poll(() => page.getByText("The first person").count()).toBe(0);
      await route.continue();
    });
    await page.getByRole("button", { name: "Sign in to your account" }).click();
    await page.getByLabel("Name", { exact: true }).waitFor();
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).not.toBe("The first person");
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });
});
