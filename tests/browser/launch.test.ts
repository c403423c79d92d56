import { beforeAll, describe, expect, it } from "vitest";
import { delayMining } from "../support/browser/delayMining.ts";
import { connect, findTradeBox, launch, openReview, unfold, untilLaunched } from "../support/browser/journeys.ts";
import { type OpenSite, openSharedSite } from "../support/browser/openSite.ts";
import { createBatchBehaviours, walletError } from "../support/browser/testWallet.ts";
import { draw } from "../support/images/pictures.ts";

let site: OpenSite;

beforeAll(async () => {
  site = await openSharedSite();
});

/** Returns the number of chosen files that the browser keeps. Runs in the page. */
const countKeptFiles = async () => {
  // Opening a database that does not exist would create it without the site's store.
  const known = await indexedDB.databases();
  if (!known.some(({ name }) => name === "slipway.files")) return 0;
  return await new Promise<number>((resolve) => {
    const opening = indexedDB.open("slipway.files");
    opening.onsuccess = () => {
      const counting = opening.result.transaction("files").objectStore("files").count();
      counting.onsuccess = () => {
        opening.result.close();
        resolve(counting.result);
      };
    };
  });
};

describe("a person who launches", () => {
  it("goes from a picture and a split to the token, buys it, and claims its fees", async () => {
    const wallet = await site.takeWallet();
    const friend = site.stack.wallets[9]!.address;
    const tab = await openReview(site, wallet, "SEAL", {
      isNew: true,
      fill: async ({ page }) => {
        await page.getByLabel("Choose image").setInputFiles({
          name: "seal.png",
          mimeType: "image/png",
          buffer: await draw().png().toBuffer(),
        });
        await page.locator("summary").filter({ hasText: "100% to you" }).waitFor();
        await unfold(page, "Fee recipients");
        // The connected wallet in the spelling of the whole site.
        expect(await page.getByLabel("Wallet", { exact: true }).inputValue()).toBe(wallet.account.address);
        await page.getByRole("button", { name: "Add recipient" }).click();
        await page.getByLabel("Wallet", { exact: true }).nth(1).fill(friend);
        await page.getByText("0% left to allocate").waitFor({ state: "detached" });
        await page.getByRole("button", { name: "Split evenly" }).click();
        await page.getByText("100% allocated").waitFor();
        await unfold(page, "Initial buy");
        await page.getByLabel("Initial buy").fill("0.1");
        await page.getByText("Description, website and links").click();
        await page.getByLabel("X", { exact: true }).fill("@seal");
        await page.getByLabel("Another website").fill("seal.example/a");
      },
    });
    const { page } = tab;
    expect(await page.getByText("50%").count()).toBeGreaterThanOrEqual(2);
    await page.getByText("Network fees for 2 transactions").waitFor();
    // The picture is shown beside its address, and the name as on the token's page.
    const picture = page.getByRole("img", { name: "Selected image" });
    await picture.waitFor();
    const readWidth = () => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth);
    await expect.poll(readWidth).toBeGreaterThan(0);
    await page.getByText("Token SEAL", { exact: true }).waitFor();
    expect(await tab.findBarriers()).toEqual([]);
    await launch(tab, "SEAL");
    await untilLaunched(tab);
    expect(wallet.of("eth_sendTransaction")).toHaveLength(2);
    await page.getByRole("status").filter({ hasText: "SEAL is launched" }).waitFor();
    await page.getByRole("link", { name: "Share SEAL" }).waitFor();
    expect(await tab.findBarriers()).toEqual([]);
    // The links of the launch are on the chain, and from there on the page and in the API.
    await page.getByRole("link", { name: "x.com/seal" }).waitFor();
    await page.getByRole("link", { name: "seal.example/a" }).waitFor();

    // The Enter key does what the button does.
    await findTradeBox(page).getByRole("button", { name: "0.01 ETH" }).click();
    await findTradeBox(page)
      .getByRole("button", { name: /^Review/, disabled: false })
      .waitFor();
    await findTradeBox(page).getByLabel("You pay").press("Enter");
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Buy for 0.01/ })
      .click();
    // The amount that the pool paid replaces the quote.
    await page.getByRole("dialog").getByText("You received").waitFor();
    await page.getByRole("button", { name: "Trade again" }).click();
    await page.getByRole("region", { name: "Your position" }).getByText("Average cost", { exact: true }).waitFor();

    await tab.goto("/fees");
    // The box shows the amounts of the claim before the signature.
    await page.getByRole("status").filter({ hasText: "You receive" }).getByText(/ETH$/).waitFor();
    await page.getByRole("button", { name: "Claim all" }).click();
    await page.getByText("Claimed", { exact: true }).first().waitFor();
    await page.getByRole("status").filter({ hasText: "Claimed" }).waitFor();
    expect(wallet.of("eth_sendTransaction")).toHaveLength(4);
    // The pool has no fees left.
    await expect.poll(() => page.getByRole("cell", { name: "0", exact: true }).count()).toBeGreaterThanOrEqual(6);
    expect(await tab.findBarriers()).toEqual([]);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("Nothing to claim right now.").waitFor();
    expect(await page.getByRole("button", { name: "Claim all" }).isDisabled()).toBe(true);
    // Each payment is listed, drawn by day, and in the file.
    await tab.goto(`/wallet/${wallet.account.address}?tab=receipts`);
    const paid = page.getByRole("region", { name: "Paid out" });
    await paid.getByRole("img", { name: /ETH in the last 30 days$/ }).waitFor();
    expect(await tab.findBarriers()).toEqual([]);
    const file = page.waitForEvent("download");
    await paid.getByRole("link", { name: "Download CSV" }).click();
    expect((await file).suggestedFilename()).toMatch(/^slipway-fees-0x[0-9a-f]{40}\.csv$/);
    await tab.goto("/drafts");
    await page.getByText("Launched", { exact: true }).waitFor();
    expect(await page.getByRole("link", { name: "Continue SEAL" }).count()).toBe(0);
    await page.getByRole("link", { name: /^Token SEAL/ }).click();
    await page.getByRole("heading", { name: "SEAL is launched" }).waitFor();
    // No warning about the draft's own token, and nothing to launch again.
    expect(await page.getByText("can be confused").count()).toBe(0);
    expect(await page.getByRole("button", { name: "Launch SEAL" }).count()).toBe(0);
    await page.getByRole("link", { name: "View token" }).click();
    await page.waitForURL(/\/t\/0x/);
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });

  it("lets the bought tokens vest, which the token's page shows", async () => {
    const wallet = await site.takeWallet();
    const tab = await openReview(site, wallet, "ANCHOR", {
      fill: async ({ page }) => {
        await unfold(page, "Initial buy");
        await page.getByLabel("Initial buy").fill("0.1");
        await page.getByLabel("Locked for, in days").fill("30");
        await page.getByLabel("Then vests over, in days").fill("100");
      },
    });
    const { page } = tab;
    await page.getByText("Bought tokens vest").waitFor();
    await page.getByText("Network fees for 3 transactions").waitFor();
    await launch(tab, "ANCHOR");
    await untilLaunched(tab);
    expect(wallet.of("eth_sendTransaction")).toHaveLength(3);
    const panel = page.getByRole("region", { name: "Vested initial buy" });
    await panel.getByText(/of the supply is locked here; everything is vested on/).waitFor();
    // Nothing is vested yet.
    expect(await panel.getByRole("button", { name: "Release vested tokens" }).count()).toBe(0);
    expect(await tab.findBarriers()).toEqual([]);
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });

  it("chooses the last digits of the token's address, which the review shows before the launch", async () => {
    const wallet = await site.takeWallet();
    const tab = await openReview(site, wallet, "VANE", {
      fill: async ({ page }) => {
        await unfold(page, "Token address");
        await page.getByLabel("Address ends with").fill("xy");
        await page.getByRole("button", { name: "Review", exact: true }).click();
        await page.getByText("Enter up to 4 of the characters 0–9 and a–f.").waitFor();
        await page.getByLabel("Address ends with").fill("C0");
        await page.locator("summary").filter({ hasText: "Ends with C0" }).waitFor();
      },
    });
    const { page } = tab;
    const predicted = page.getByText(/^0x[0-9a-fA-F]{38}c0$/i);
    const token = (await predicted.textContent())!;
    // After a reload, the page searches again, and the launch waits for the result.
    const answered = Promise.withResolvers<void>();
    await page.route("**/launch/calls", async (route) => {
      await answered.promise;
      await route.continue();
    });
    await page.reload();
    await page.getByText("Searching for an address that ends with c0.").waitFor();
    expect(await page.getByRole("button", { name: "Launch VANE" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("Search cancelled.").waitFor();
    expect(await tab.findBarriers()).toEqual([]);
    answered.resolve();
    await page.getByRole("button", { name: "Search again" }).click();
    expect(await predicted.textContent()).toBe(token);
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      expect(await tab.findBarriers()).toEqual([]);
    }
    await launch(tab, "VANE");
    await untilLaunched(tab);
    expect(new URL(page.url()).pathname.toLowerCase()).toBe(`/t/${token.toLowerCase()}`);
    expect(wallet.of("eth_sendTransaction")).toHaveLength(2);
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });

  it("corrects what the form names, and finds it again after a reload", async () => {
    const wallet = await site.takeWallet();
    const tab = await site.openPage({ wallets: [wallet], path: "/launch" });
    const { page } = tab;
    await connect(page);
    const review = page.getByRole("button", { name: "Sign in to review" });
    await review.click();
    // No signature is requested for a form with faults.
    await page.getByText("must be 1 to 12 letters or digits").waitFor();
    await page.getByText("Choose an image or enter its URI.").waitFor();
    // The first wrong field scrolls into view: on a phone it is far above the button.
    const hasFocus = (label: string) =>
      page.getByLabel(label, { exact: true }).evaluate((field) => field === document.activeElement);
    await expect.poll(() => hasFocus("Name")).toBe(true);
    expect(await tab.findBarriers()).toEqual([]);
    await page.getByLabel("Name", { exact: true }).fill("Kept over a reload");
    await page.getByLabel("Symbol").fill("KEPT");
    await review.click();
    await expect.poll(() => hasFocus("Choose image")).toBe(true);
    expect(wallet.of("personal_sign")).toEqual([]);
    await page.getByLabel("Choose image").setInputFiles({
      name: "kept.png",
      mimeType: "image/png",
      buffer: await draw().png().toBuffer(),
    });
    const preview = page.locator("form img[src^='data:image/png']");
    await preview.waitFor();
    // The picture is shown while the browser stores it.
    await expect.poll(() => page.evaluate(countKeptFiles)).toBe(1);
    await page.reload();
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Kept over a reload");
    await preview.waitFor();
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });
});

describe("a draft whose options change after its review", () => {
  it("C10-66 is not launched: a leaked key cannot redirect what the first buy pays for", async () => {
    const wallet = await site.takeWallet();
    const tab = await openReview(site, wallet, "GULL", {
      fill: async ({ page }) => {
        await unfold(page, "Initial buy");
        await page.getByLabel("Initial buy").fill("0.1");
      },
    });
    const { page } = tab;
    await page.getByText("Network fees for 2 transactions").waitFor();
    const { key } = await page.evaluate(async () => {
      const body = JSON.stringify({ name: "bot", scopes: ["write"] });
      const headers = { "content-type": "application/json" };
      return (await fetch("/api/account/keys", { method: "POST", headers, body })).json();
    });
    const stranger = site.stack.wallets[8]!.address;
    const draftId = new URL(page.url()).pathname.split("/").at(-1);
    const put = await fetch(`${site.stack.devFile.base_url}/intents/${draftId}/options`, {
      method: "PUT",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({
        initial_buy: { amount_in: "100000000000000000", slippage_bps: 100, recipient: stranger },
        links: { telegram: "https://t.me/not_the_creator" },
      }),
    });
    expect(put.status).toBe(200);
    await launch(tab, "GULL");
    await page.getByText("The prepared transaction doesn't match your request.").waitFor();
    // Only the splitter, which has the reviewed recipients.
    expect(wallet.of("eth_sendTransaction").map(([{ value }]) => BigInt(value))).toEqual([0n]);
    // The review shows the stored options.
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Tokens go to").waitFor();
    await page.getByText("https://t.me/not_the_creator").waitFor();
    await page.getByRole("button", { name: "Launch GULL" }).waitFor();
    expect(await tab.findBarriers()).toEqual([]);
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });
});

describe("a launch that is interrupted", () => {
  it("goes on after a reload when the splitter is on the chain, and after one when the launch is under way", async () => {
    const wallet = await site.takeWallet();
    const tab = await openReview(site, wallet, "PIER");
    const { page } = tab;
    let sent = 0;
    const mining = await delayMining(site.stack.rpcUrl);
    wallet.behave("eth_sendTransaction", async ([transaction], next) => {
      sent += 1;
      if (sent === 2) throw walletError(4001);
      return await (sent === 3 ? mining.send(wallet, transaction as object) : next());
    });
    await launch(tab, "PIER");
    await page.getByText("Request declined. Nothing was sent.").waitFor();
    await page.reload();
    try {
      await launch(tab, "PIER");
      await page.getByText("Sent, waiting for confirmation").waitFor();
      // The splitter was not created a second time.
      expect(sent).toBe(3);
      await page.reload();
      await page.getByRole("list", { name: "Steps" }).waitFor();
    } finally {
      await mining.mine();
    }
    await untilLaunched(tab);
    expect(sent).toBe(3);
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });

  it("goes on in another browser, which finds the splitter, and there makes the same token", async () => {
    const wallet = await site.takeWallet();
    const tab = await openReview(site, wallet, "BUOY");
    let sent = 0;
    wallet.behave("eth_sendTransaction", async (_, next) => {
      sent += 1;
      if (sent > 1) throw walletError(4001);
      return await next();
    });
    await launch(tab, "BUOY");
    await tab.page.getByText("Request declined. Nothing was sent.").waitFor();
    const path = new URL(tab.page.url()).pathname;
    await tab.close();

    const elsewhere = site.createWallet(wallet);
    const other = await site.openPage({ wallets: [elsewhere], path });
    await connect(other.page);
    await other.page.getByRole("button", { name: "Sign in to open the draft" }).click();
    await launch(other, "BUOY");
    await untilLaunched(other);
    expect(elsewhere.of("eth_sendTransaction")).toHaveLength(1);
    expect(other.problems()).toEqual([]);
    await other.close();
  });

  it("is one batch with a wallet that sends batches", async () => {
    const wallet = await site.takeWallet();
    const signer = { rpcUrl: site.stack.rpcUrl, account: wallet.account };
    for (const [method, behaviour] of Object.entries(createBatchBehaviours(signer))) wallet.behave(method, behaviour);
    const tab = await openReview(site, wallet, "QUAY");
    await launch(tab, "QUAY");
    await untilLaunched(tab);
    expect([wallet.of("wallet_sendCalls")[0]![0].calls.length, wallet.of("eth_sendTransaction").length]).toEqual([
      2, 0,
    ]);
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });
});
