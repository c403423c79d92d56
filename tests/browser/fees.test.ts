import { createSignAndSend } from "@slipway/dev/chain/rpcRequest";
import { getWallets, type Wallet } from "@slipway/dev/chain/wallets";
import { waitUntilListed } from "@slipway/dev/demo/demoTokens";
import { createClient } from "@slipway/sdk/createClient";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect } from "../support/browser/journeys.ts";
import { type OpenSite, openSite, type SitePage } from "../support/browser/openSite.ts";
import { deploySplitter, launchedToken, sendLaunch } from "../support/security/launchDirectly.ts";

/** More tokens than the service lists of a wallet at once (fifty). */
const count = 53;
let site: OpenSite;
let creator: Wallet;

/** A creator with more tokens than a page of the service. Only the first token was bought and has fees. */
beforeAll(async () => {
  site = await openSite({ demo: false });
  const { rpcUrl, manifest, baseUrl, apiKey, devFile } = site.stack;
  creator = getWallets("open")[2]!;
  const stack = { chain: { rpcUrl }, manifest };
  const splitter = await deploySplitter(stack, creator);
  const tokens: string[] = [];
  for (let index = 1; index <= count; index += 1) {
    const receipt = await sendLaunch(stack, creator, splitter, { name: `Token ${index}`, symbol: `T${index}` });
    tokens.push(launchedToken(receipt));
  }
  const client = createClient({ baseUrl, apiKey });
  for (const token of tokens) await waitUntilListed(client, token);
  const buyer = getWallets("open")[3]!;
  const order = { token: tokens[0]!, wallet: buyer.address, side: "buy", pay: "native", slippage_bps: 500 } as const;
  const { transaction } = await client.prepareTradeCalls({ ...order, amount_in: "20000000000000000" });
  await createSignAndSend(rpcUrl, devFile.chain_id)(buyer, transaction!);
});
afterAll(() => site?.close());

const button = ({ page }: SitePage, name: string) => page.getByRole("button", { name, exact: true });
/** Returns the symbols of the tokens on the page. */
const readShown = ({ page }: SitePage) =>
  page.locator("section[aria-label^='Fees T']").evaluateAll((all) => all.map((one) => one.ariaLabel!.slice(5)));
const symbols = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, index) => `T${from - index}`);

describe("the fees of a creator with more tokens than a page of the service", () => {
  it("are shown page by page to the last token", async () => {
    const tab = await site.openPage({ wallets: [site.createWallet(creator)], path: "/fees" });
    let reads = 0;
    tab.page.on("request", (request) => {
      if (request.url().includes("/fees/positions?")) reads++;
    });
    await connect(tab.page);
    await button(tab, "Sign in to see your fees").click();
    await button(tab, "Claim fees from tokens 1 to 20").waitFor();
    expect(await readShown(tab)).toEqual(symbols(count, count - 49));

    const path = "**/wallets/*cursor=*";
    const error = { code: "internal_error", message: "It broke.", request_id: "request-9", retryable: false };
    await tab.page.route(path, (route) => route.fulfill({ status: 500, json: { error } }));
    await button(tab, "Show more tokens").click();
    await tab.page.getByText("request-9").waitFor();
    // Earlier rows stay.
    expect(await readShown(tab)).toHaveLength(50);
    await tab.page.unroute(path);
    await button(tab, "Try again").click();
    await button(tab, `Claim fees from tokens 1 to 20 of ${count}`).waitFor();
    expect(await readShown(tab)).toEqual(symbols(count, 1));
    expect(await button(tab, "Show more tokens").count()).toBe(0);
    // Only panels near the window read their fees: the first ones, and the last ones, above the button.
    const middle = tab.page.locator("section[aria-label='Fees T27']");
    expect([reads > 0, reads < count, await middle.getByText("Your share").count()]).toEqual([true, true, 0]);
    await middle.scrollIntoViewIfNeeded();
    await middle.getByText("Your share").waitFor();
    expect(await tab.findBarriers()).toEqual([]);
    expect(tab.problems([500])).toEqual([]);
    await tab.close();
  });

  it("are claimed to the last token, although no one has asked for the next page", async () => {
    const wallet = site.createWallet(creator);
    const tab = await site.openPage({ signedIn: wallet, path: "/fees" });
    for (const range of ["1 to 20", "21 to 40"]) {
      await button(tab, `Claim fees from tokens ${range}`).click();
      await tab.page.getByText("Nothing to claim.").waitFor();
      await button(tab, "Continue").click();
    }
    await button(tab, `Claim fees from tokens 41 to ${count} of ${count}`).click();
    await tab.page.getByText("Claimed", { exact: true }).first().waitFor();
    await button(tab, "Continue").click();
    expect(wallet.of("eth_sendTransaction")).toHaveLength(1);
    await button(tab, `Claim fees from tokens 1 to 20 of ${count}`).waitFor();
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });

  it("are claimed to the last token, also when the next page is read while a claim is shown", async () => {
    const tab = await site.openPage({ signedIn: site.createWallet(creator), path: "/fees" });
    const path = "**/wallets/*cursor=*";
    const error = { code: "internal_error", message: "It broke.", request_id: "request-9", retryable: false };
    await tab.page.route(path, (route) => route.fulfill({ status: 500, json: { error } }));
    for (const range of ["1 to 20", "21 to 40", "41 to 50"]) {
      await button(tab, `Claim fees from tokens ${range}`).click();
      await tab.page.getByText("Nothing to claim.").waitFor();
      if (range !== "41 to 50") await button(tab, "Continue").click();
    }
    await tab.page.unroute(path);
    await button(tab, "Show more tokens").or(button(tab, "Try again")).first().click();
    await expect.poll(() => readShown(tab)).toHaveLength(count);
    await button(tab, "Continue").click();
    await button(tab, `Claim fees from tokens 51 to ${count} of ${count}`).waitFor();
    await tab.close();
  });
});
