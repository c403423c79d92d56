import { rpcRequest, waitForReceipt } from "@slipway/dev/chain/rpcRequest";
import { getWallet } from "@slipway/dev/chain/wallets";
import { privateKeyToAccount } from "viem/accounts";
import { beforeAll, describe, expect, it } from "vitest";
import { connect, connectAndSignIn, findTradeBox } from "../support/browser/journeys.ts";
import { type OpenSite, openSharedSite } from "../support/browser/openSite.ts";
import { sendSigned, walletError } from "../support/browser/testWallet.ts";

let site: OpenSite;
let path: string;

beforeAll(async () => {
  site = await openSharedSite();
  path = `/t/${site.stack.tokens[0]}`;
});

describe("connecting", () => {
  it("lists the wallets that announce themselves, also late ones, and asks no wallet before it is chosen", async () => {
    const early = await site.takeWallet({ name: "Early Wallet", rdns: "test.early" });
    const late = await site.takeWallet({ name: "Late Wallet", rdns: "test.late" });
    const tab = await site.openPage();
    await early.addTo(tab.page);
    await late.addTo(tab.page, { lateMs: 1_500 });
    await tab.goto(path);
    await tab.page.getByRole("banner").getByRole("button", { name: "Connect wallet" }).click();
    await tab.page.getByRole("dialog").getByRole("button", { name: "Early Wallet" }).waitFor();
    await tab.page.getByRole("dialog").getByRole("button", { name: "Late Wallet" }).waitFor();
    expect(await tab.findBarriers()).toEqual([]);
    expect([early.asked, late.asked]).toEqual([[], []]);
    await tab.page.getByRole("dialog").getByRole("button", { name: "Late Wallet" }).click();
    await tab.page.getByRole("dialog").waitFor({ state: "hidden" });
    expect(early.asked).toEqual([]);

    await tab.page.reload();
    await tab.page.getByRole("banner").getByTitle(late.account.address.toLowerCase()).waitFor();
    expect(late.of("eth_requestAccounts")).toHaveLength(1);
    // With its checksum (EIP-55), neither in the wallet's own notation nor in lower case.
    const { address } = late.account;
    await tab.page
      .getByRole("banner")
      .getByText(new RegExp(`${address.slice(0, 6)}…${address.slice(-4)}$`))
      .waitFor();
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });

  it("offers a wallet that is only injected as the browser's, and says how to get one where there is none", async () => {
    const tab = await site.openPage({ path });
    await tab.page.getByRole("banner").getByRole("button", { name: "Connect wallet" }).click();
    await tab.page.getByText("No wallet found in this browser").waitFor();
    expect(await tab.findBarriers()).toEqual([]);
    await tab.close();

    // A phone's browser has no extensions, but its wallet apps can show the page.
    const phone = await site.openPage({ path, context: { viewport: { width: 360, height: 740 }, hasTouch: true } });
    await phone.page.getByRole("banner").getByRole("button", { name: "Connect wallet" }).click();
    const app = phone.page.getByRole("link", { name: "Open this page in MetaMask" });
    expect(await app.getAttribute("href")).toBe(`https://link.metamask.io/dapp/${new URL(site.url).host}${path}`);
    expect(await phone.findBarriers()).toEqual([]);
    await phone.close();

    const wallet = await site.takeWallet();
    const other = await site.openPage();
    await wallet.addTo(other.page, { injected: true });
    await other.goto(path);
    await connect(other.page, other.page.getByRole("banner"), "Browser wallet");
    expect(other.problems()).toEqual([]);
    await other.close();
  });

  it("says what a refusal means, and connects when asked again", async () => {
    const wallet = await site.takeWallet();
    const tab = await site.openPage({ wallets: [wallet], path });
    const dialog = tab.page.getByRole("dialog");
    for (const [code, text] of [
      [4001, "Request declined. Nothing was sent."],
      [-32002, "Your wallet has a pending request."],
      [-32603, "Couldn't connect to the wallet."],
    ] as const) {
      wallet.behave("eth_requestAccounts", () => {
        throw walletError(code, "<img src=x onerror=alert(1)>");
      });
      if (!(await dialog.isVisible()))
        await tab.page.getByRole("banner").getByRole("button", { name: "Connect wallet" }).click();
      await dialog.getByRole("button", { name: "Test Wallet" }).click();
      await dialog.getByText(text).waitFor();
    }
    wallet.behave("eth_requestAccounts", null);
    await dialog.getByRole("button", { name: "Test Wallet" }).click();
    await dialog.waitFor({ state: "hidden" });
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });
});

describe("the network", () => {
  it("is switched to from every button, added where the wallet does not know it, and believed only when it is read", async () => {
    const wallet = await site.takeWallet();
    await wallet.switchChain(1);
    const tab = await site.openPage({ wallets: [wallet], path });
    const box = findTradeBox(tab.page);
    await connect(tab.page, box);
    const button = box.getByRole("button", { name: /^Switch to / });
    wallet.behave("wallet_switchEthereumChain", () => null);
    await button.click();
    await box.getByText(/^Couldn't switch automatically/).waitFor();
    // Also beside the button of the header.
    wallet.behave("wallet_switchEthereumChain", () => {
      throw walletError(4001);
    });
    const banner = tab.page.getByRole("banner");
    await banner.getByRole("button", { name: /^Switch to / }).click();
    await banner.getByText("Request declined. Nothing was sent.").waitFor();
    wallet.behave("wallet_switchEthereumChain", () => {
      throw walletError(4902, "Kette unbekannt");
    });
    await button.click();
    await box.getByRole("button", { name: "Enter an amount" }).waitFor();
    expect(wallet.of("wallet_addEthereumChain")).toHaveLength(1);
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });

  it("C10-21 sends nothing to another network with the same id, nor after the wallet left the chain unnoticed", async () => {
    const wallet = await site.takeWallet();
    const tab = await site.openPage({ wallets: [wallet], path });
    const box = findTradeBox(tab.page);
    await connectAndSignIn(tab.page, "0.01");
    // No event reports the change.
    wallet.behave("eth_chainId", () => "0x1");
    await box.getByRole("button", { name: /^Review/ }).click();
    await tab.page
      .getByRole("dialog")
      .getByRole("button", { name: /^Buy for/ })
      .click();
    await tab.page.getByText("Your wallet switched to a different network. Nothing was sent.").waitFor();
    wallet.behave("eth_chainId", null);
    wallet.behave("eth_getCode", () => "0x");
    await tab.page.getByRole("dialog").getByRole("button", { name: "Try again" }).click();
    await tab.page.getByText("Your wallet switched to a different network. Nothing was sent.").waitFor();
    expect(wallet.of("eth_sendTransaction")).toEqual([]);
    await tab.page.reload();
    await box.getByText(/uses a different RPC/).waitFor();
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });
});

describe("signing in", () => {
  it("C10-26 signs a message of this origin once, stays over a reload, and ends by signing out", async () => {
    const wallet = await site.takeWallet();
    const tab = await site.openPage({ wallets: [wallet], path });
    const { page } = tab;
    await connectAndSignIn(page, "0.01");
    const [[hex]] = wallet.of("personal_sign") as [[string]];
    const message = Buffer.from(hex.slice(2), "hex").toString();
    expect(message).toMatch(new RegExp(`^${new URL(site.url).host} wants you to sign in`));
    expect(message).toContain(`URI: ${site.url}\n`);
    expect(message).toContain(wallet.account.address);

    await page.reload();
    await findTradeBox(page).getByLabel("You pay").fill("0.01");
    await findTradeBox(page)
      .getByRole("button", { name: /^Review/, disabled: false })
      .waitFor();
    expect(wallet.of("personal_sign")).toHaveLength(1);
    // The stored value only shows that there was a session, without its content.
    const kept = await page.evaluate(() => Object.entries(localStorage).filter(([key]) => key.startsWith("slipway.")));
    expect(Object.fromEntries(kept)).toEqual({ "slipway.wallet": "test.slipway.wallet", "slipway.signed_in": "yes" });

    await page.getByRole("banner").getByTitle(wallet.account.address.toLowerCase()).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await findTradeBox(page).getByRole("button", { name: "Sign in to review" }).waitFor();
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });

  it("C10-26 does not sign a message of another origin", async () => {
    const wallet = await site.takeWallet();
    const tab = await site.openPage({ wallets: [wallet] });
    await tab.page.route("**/api/auth/siwe/nonce", async (route) => {
      const answer = await route.fetch();
      const body = { ...(await answer.json()), domain: "evil.example" };
      await route.fulfill({ response: answer, json: body });
    });
    await tab.goto(path);
    const box = findTradeBox(tab.page);
    await box.getByLabel("You pay").fill("0.01");
    await connect(tab.page, box);
    await box.getByRole("button", { name: "Sign in to review" }).click();
    await tab.page.getByText("The sign-in message doesn't match this site. It was not signed.").waitFor();
    expect(wallet.of("personal_sign")).toEqual([]);
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });

  it("C10-27 shows a message of the service as text, and asks nothing of the service before a person signs in", async () => {
    const wallet = await site.takeWallet();
    const tab = await site.openPage({ wallets: [wallet] });
    const guarded: string[] = [];
    tab.page.on("request", (request) => {
      if (/\/api\/(auth|account)|\/trade\/|\/intents/.test(request.url())) guarded.push(request.url());
    });
    await tab.goto(path);
    await tab.page.getByRole("heading", { level: 1 }).waitFor();
    expect(guarded).toEqual([]);
    const hostile = `<img src=x onerror="document.title='taken'"><script>document.title='taken'</script>`;
    await tab.page.route("**/trade/calls", (route) =>
      route.fulfill({
        status: 422,
        json: {
          error: { code: "simulation_reverted", message: hostile, request_id: "1", retryable: false, docs_url: "" },
        },
      }),
    );
    const box = findTradeBox(tab.page);
    await box.getByLabel("You pay").fill("0.01");
    await connect(tab.page, box);
    await box.getByRole("button", { name: "Sign in to review" }).click();
    await box.getByText(hostile).waitFor();
    expect(await box.locator("script, img[src=x]").count()).toBe(0);
    expect(await tab.page.title()).not.toContain("taken");
    expect(tab.problems([422])).toEqual([]);
    await tab.close();
  });
});

describe("a wallet without native", () => {
  it("pays the network fee with a stablecoin by signatures alone", async () => {
    const wallet = await site.takeWallet();
    const { rpcUrl, devFile } = site.stack;
    const words = [wallet.account.address.slice(2), (100_000_000).toString(16)].map((word) => word.padStart(64, "0"));
    const data = `0xa9059cbb${words.join("")}` as const;
    const deployer = privateKeyToAccount(getWallet("deployer").privateKey);
    const hash = await sendSigned({ rpcUrl, account: deployer }, { to: devFile.stablecoin!, data });
    await waitForReceipt(rpcUrl, hash);
    await rpcRequest(rpcUrl, "anvil_setBalance", [wallet.account.address, "0x0"]);

    const tab = await site.openPage({ wallets: [wallet], path: "/gas" });
    const { page } = tab;
    await connect(page);
    await page.getByRole("button", { name: "Sign in to get a quote" }).click();
    await page.getByRole("button", { name: "Get a quote in USDG" }).click();
    expect(await tab.findBarriers()).toEqual([]);
    await page.getByRole("button", { name: /^Pay [\d.]+ USDG$/ }).click();
    await page.getByText("ETH for the network fee received.").waitFor();
    expect(
      BigInt(await rpcRequest<string>(rpcUrl, "eth_getBalance", [wallet.account.address, "latest"])),
    ).toBeGreaterThan(0n);
    expect([wallet.of("eth_signTypedData_v4").length, wallet.of("eth_sendTransaction").length]).toEqual([2, 0]);
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });
});
