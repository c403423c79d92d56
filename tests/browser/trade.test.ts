import { rpcRequest, waitForReceipt } from "@slipway/dev/chain/rpcRequest";
import { createClient } from "@slipway/sdk/createClient";
import { privateKeyToAccount } from "viem/accounts";
import { beforeAll, describe, expect, it } from "vitest";
import { delayMining } from "../support/browser/delayMining.ts";
import { confirmTrade, enterAmount, findTradeBox } from "../support/browser/journeys.ts";
import { type OpenSite, openSharedSite, type SitePage, sharedPaymasterUrl } from "../support/browser/openSite.ts";
import {
  createBatchBehaviours,
  holdNextTransaction,
  sendReplaced,
  sendSigned,
  type TestWallet,
  walletError,
} from "../support/browser/testWallet.ts";

let site: OpenSite;
let token: string;

beforeAll(async () => {
  site = await openSharedSite();
  token = site.stack.tokens[0]!;
});

async function openTrade(wallet: TestWallet, amount = "0.01", at = token): Promise<SitePage> {
  const tab = await site.openPage({ signedIn: wallet, path: `/t/${at}` });
  await enterAmount(tab.page, amount);
  return tab;
}

const dialog = ({ page }: SitePage) => page.getByRole("dialog");
const done = (tab: SitePage) => dialog(tab).getByRole("button", { name: "Trade again" });
const rpc = <T>(method: string, params: unknown[]) => rpcRequest<T>(site.stack.rpcUrl, method, params);
const signer = (wallet: TestWallet) => ({ rpcUrl: site.stack.rpcUrl, account: wallet.account });

describe("a person who trades", () => {
  it("buys with ETH and sells with a permit, while another browser sees the trades and the price", async () => {
    const watcher = await site.openPage({ path: `/t/${token}` });
    const tape = watcher.page.getByRole("region", { name: "Activity" });
    const wallet = await site.takeWallet();
    const tab = await openTrade(wallet, "0.05");
    expect(await findTradeBox(tab.page).getByText("estimate").count()).toBe(0);
    await confirmTrade(tab.page, /^Buy for 0.05 ETH/);
    await done(tab).waitFor();
    const add = dialog(tab).getByRole("button", { name: /^Add \S+ to your wallet$/ });
    await add.click();
    await dialog(tab).getByText("Your wallet can't list the token by request.").waitFor();
    wallet.behave("wallet_watchAsset", () => true);
    await add.click();
    await dialog(tab).getByText("Your wallet lists the token.").waitFor();
    const listed = { type: "ERC20", options: expect.objectContaining({ address: token, decimals: 18 }) };
    expect(wallet.of("wallet_watchAsset").at(-1)).toEqual(listed);
    expect(await tab.findBarriers()).toEqual([]);
    await done(tab).click();
    // By the stream: the watcher does nothing.
    await tape.getByText("Buy", { exact: true }).first().waitFor();

    const box = findTradeBox(tab.page);
    await box.getByText("Sell", { exact: true }).click();
    await box.getByRole("button", { name: "Max" }).click();
    await confirmTrade(tab.page, /^Sell /);
    await done(tab).waitFor();
    await tape.getByText("Sell", { exact: true }).first().waitFor();
    // A permit and one transaction, without an approval.
    expect(wallet.of("eth_signTypedData_v4")).toHaveLength(1);
    expect(wallet.of("eth_sendTransaction")).toHaveLength(2);
    expect([tab.problems(), watcher.problems()]).toEqual([[], []]);
    await watcher.close();
    await tab.close();
  });

  it("C10-25 approves exactly what is sold or paid, and signs permits for exactly that, never more", async () => {
    const wallet = await site.takeWallet();
    const weth = site.stack.devFile.weth;
    await rpc("anvil_impersonateAccount", [wallet.account.address]);
    const deposit = { from: wallet.account.address, to: weth, data: "0xd0e30db0", value: "0x16345785d8a0000" };
    await rpc("eth_sendTransaction", [deposit]);
    await rpc("anvil_stopImpersonatingAccount", [wallet.account.address]);
    const tab = await openTrade(wallet, "0.02");
    await findTradeBox(tab.page).getByText("With WETH").click();
    await confirmTrade(tab.page, /^Buy for 0.02 WETH/);
    await dialog(tab).getByText("Approve only 0.02 WETH").waitFor();
    await done(tab).waitFor();
    const [[approval]] = wallet.of("eth_sendTransaction") as [[{ data: string; to: string }]];
    expect(approval.to.toLowerCase()).toBe(weth.toLowerCase());
    expect(approval.data.slice(0, 10)).toBe("0x095ea7b3");
    expect(BigInt(`0x${approval.data.slice(74)}`)).toBe(20_000_000_000_000_000n);
    await done(tab).click();

    const box = findTradeBox(tab.page);
    await box.getByText("Sell", { exact: true }).click();
    await box.getByLabel("You pay").fill("1000");
    await confirmTrade(tab.page, /^Sell 1,000 /);
    await done(tab).waitFor();
    const typed = JSON.parse(wallet.of("eth_signTypedData_v4")[0]![1]) as { message: { value: string } };
    expect(typed.message.value).toBe((1000n * 10n ** 18n).toString());
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });

  it("sends one batch with a wallet that can, and steps after the wallet has refused one, then and later", async () => {
    const wallet = await site.takeWallet();
    const tab = await openTrade(wallet);
    await confirmTrade(tab.page, /^Buy for/);
    await done(tab).click();
    const box = findTradeBox(tab.page);
    for (const [method, behaviour] of Object.entries(createBatchBehaviours(signer(wallet))))
      wallet.behave(method, behaviour);
    const sell = async (amount: string) => {
      await box.getByText("Sell", { exact: true }).click();
      await box.getByLabel("You pay").fill(amount);
      await confirmTrade(tab.page, new RegExp(`^Sell ${Number(amount).toLocaleString("en")} `));
      await done(tab).click();
    };
    await sell("1000");
    const [batch] = wallet.of("wallet_sendCalls")[0]!;
    expect([batch.atomicRequired, batch.calls.length, wallet.of("eth_signTypedData_v4").length]).toEqual([true, 2, 0]);

    wallet.behave("wallet_sendCalls", () => {
      throw walletError(5750, "The account cannot be upgraded");
    });
    await sell("2000");
    await sell("3000");
    // A wallet that has rejected a batch is not asked for one again.
    expect([wallet.of("wallet_sendCalls").length, wallet.of("eth_signTypedData_v4").length]).toEqual([2, 2]);
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });
});

describe("a deployment with a paymaster", () => {
  it("C10-98 passes exactly its URL to a wallet that supports paymasters, and sends without it after a refusal", async () => {
    const wallet = await site.takeWallet();
    const tab = await openTrade(wallet);
    await confirmTrade(tab.page, /^Buy for/);
    await done(tab).click();
    const box = findTradeBox(tab.page);
    const note = dialog(tab).getByText("the operator of this site pays the network fee");
    const review = async (amount: string) => {
      await box.getByText("Sell", { exact: true }).click();
      await box.getByLabel("You pay").fill(amount);
      await box.getByRole("button", { name: /^Review/ }).click();
      await dialog(tab)
        .getByRole("button", { name: /^Sell / })
        .waitFor();
    };
    const sell = async () => {
      await dialog(tab)
        .getByRole("button", { name: /^Sell / })
        .click();
      await done(tab).click();
    };
    const useWallet = (behaviours: ReturnType<typeof createBatchBehaviours>) => {
      for (const [method, behaviour] of Object.entries(behaviours)) wallet.behave(method, behaviour);
    };
    const sent = () => wallet.of("wallet_sendCalls").map(([batch]) => batch.capabilities);
    const capabilities = { paymasterService: { url: sharedPaymasterUrl, optional: true } };

    const able = createBatchBehaviours(signer(wallet), true);
    useWallet(able);
    await review("1000");
    await note.waitFor();
    expect(await tab.findBarriers()).toEqual([]);
    await sell();
    expect(sent()).toEqual([capabilities]);

    wallet.behave("wallet_sendCalls", ([batch], next) => {
      if (batch.capabilities !== undefined) throw walletError(5700, "Unsupported capability");
      return able.wallet_sendCalls!([batch], next);
    });
    await review("2000");
    await sell();
    expect(sent()).toEqual([capabilities, capabilities, undefined]);

    useWallet(createBatchBehaviours(signer(wallet)));
    const asked = wallet.of("wallet_getCapabilities").length;
    await review("3000");
    await expect.poll(() => wallet.of("wallet_getCapabilities").length, { timeout: 60_000 }).toBeGreaterThan(asked);
    await tab.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    expect(await note.count()).toBe(0);
    await sell();
    expect(sent()).toEqual([capabilities, capabilities, undefined, undefined]);
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });
});

describe("a trade in which the wallet", () => {
  it("declines goes on when it is tried again, and nothing was sent before", async () => {
    const wallet = await site.takeWallet();
    const tab = await openTrade(wallet);
    wallet.behave("eth_sendTransaction", () => {
      throw walletError(4001, "<b>User rejected</b>");
    });
    await confirmTrade(tab.page, /^Buy for/);
    await dialog(tab).getByText("Request declined. Nothing was sent.").waitFor();
    expect(await tab.findBarriers()).toEqual([]);
    wallet.behave("eth_sendTransaction", null);
    await dialog(tab).getByRole("button", { name: "Try again" }).click();
    await done(tab).waitFor();
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });

  it("speeds up is done by the other transaction; one that it cancels is never sent again by itself", async () => {
    const wallet = await site.takeWallet();
    const tab = await openTrade(wallet);
    let mined = "";
    wallet.behave("eth_sendTransaction", async ([transaction]) => {
      const replaced = await sendReplaced(signer(wallet), transaction, "sped up");
      mined = replaced.mined;
      return replaced.answered;
    });
    await confirmTrade(tab.page, /^Buy for/);
    await done(tab).waitFor();
    await dialog(tab).getByTitle(mined).waitFor();
    await done(tab).click();

    wallet.behave("eth_sendTransaction", async ([transaction]) => {
      const { answered } = await sendReplaced(signer(wallet), transaction, "cancelled");
      return answered;
    });
    await findTradeBox(tab.page).getByLabel("You pay").fill("0.013");
    await confirmTrade(tab.page, /^Buy for 0.013/);
    await dialog(tab).getByText("Replaced or cancelled in your wallet").waitFor();
    expect(wallet.of("eth_sendTransaction")).toHaveLength(2);
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });

  it("C10-24 changes its account stops, and nothing more is sent", async () => {
    const wallet = await site.takeWallet();
    const tab = await openTrade(wallet);
    wallet.behave("eth_sendTransaction", () => new Promise(() => {}));
    await confirmTrade(tab.page, /^Buy for/);
    await dialog(tab).getByText("Confirm in your wallet.").waitFor();
    await expect.poll(() => wallet.of("eth_sendTransaction").length).toBe(1);
    await wallet.switchAccount(site.stack.wallets[9]!.privateKey);
    await dialog(tab).getByText("The account in your wallet changed").waitFor();
    expect(wallet.of("eth_sendTransaction")).toHaveLength(1);
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });

  it("sends too late for its price is explained, and nothing was traded", async () => {
    const wallet = await site.takeWallet();
    const tab = await openTrade(wallet);
    wallet.behave("eth_sendTransaction", async (_, next) => {
      await buyFirst("5000000000000000000");
      return await next();
    });
    await confirmTrade(tab.page, /^Buy for/);
    await dialog(tab).getByText("The price moved beyond your slippage tolerance.").waitFor();
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });
});

/** Buys from another account, which raises the price. */
async function buyFirst(amount: string): Promise<void> {
  const { privateKey, address } = site.stack.wallets[8]!;
  const account = privateKeyToAccount(privateKey);
  const order = { token, wallet: address, side: "buy", pay: "native", amount_in: amount, slippage_bps: 500 } as const;
  const { transaction } = await createClient(site.stack).prepareTradeCalls(order);
  const hash = await sendSigned({ rpcUrl: site.stack.rpcUrl, account }, transaction as never);
  await waitForReceipt(site.stack.rpcUrl, hash);
}

describe("a sell whose permit the wallet", () => {
  const refusals = [
    ["declines", 4001, "Request declined. Nothing was sent."],
    ["cannot sign", -32601, "Your wallet couldn't send the transaction."],
  ] as const;
  it.each(refusals)("%s goes on with an approval of the same amount, then and later", async (_, code, said) => {
    const wallet = await site.takeWallet();
    const tab = await openTrade(wallet);
    await confirmTrade(tab.page, /^Buy for/);
    await done(tab).click();
    wallet.behave("eth_signTypedData_v4", () => {
      throw walletError(code);
    });
    const box = findTradeBox(tab.page);
    const review = async (amount: string) => {
      await box.getByText("Sell", { exact: true }).click();
      await box.getByLabel("You pay").fill(amount);
      await confirmTrade(tab.page, new RegExp(`^Sell ${Number(amount).toLocaleString("en")} `));
    };
    await review("1234");
    await dialog(tab).getByText(said).waitFor();
    await dialog(tab)
      .getByText(/two transactions: an approval of only 1,234 /)
      .waitFor();
    expect(await tab.findBarriers()).toEqual([]);
    await dialog(tab).getByRole("button", { name: "Use an approval instead" }).click();
    await done(tab).waitFor();
    const [approval, sale] = wallet
      .of("eth_sendTransaction")
      .slice(1)
      .map(([sent]) => sent);
    expect([approval.to.toLowerCase(), approval.data.slice(0, 10)]).toEqual([token.toLowerCase(), "0x095ea7b3"]);
    expect(BigInt(`0x${approval.data.slice(74)}`)).toBe(1234n * 10n ** 18n);
    expect(sale.to.toLowerCase()).not.toBe(token.toLowerCase());
    await done(tab).click();

    // The same tab remembers this, also after a reload: the wallet is not asked for a permit again.
    await tab.page.reload();
    await review("777");
    await dialog(tab).getByText("Approve only 777").waitFor();
    await done(tab).waitFor();
    expect([wallet.of("eth_signTypedData_v4").length, wallet.of("eth_sendTransaction").length]).toEqual([1, 5]);
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });
});

describe("a window that changes its width", () => {
  const [narrow, wide] = [
    { width: 900, height: 900 },
    { width: 1280, height: 900 },
  ];
  const openSheet = ({ page }: SitePage, name: "Buy" | "Sell") =>
    page.getByRole("button", { name, exact: true }).last().click();

  it("keeps what was typed, in the panel and in the sheet", async () => {
    const wallet = await site.takeWallet();
    const tab = await openTrade(wallet, "0.0123");
    const { page } = tab;
    const box = findTradeBox(page);
    const amount = () => box.getByLabel("You pay").inputValue();
    await box.getByText("Slippage tolerance").first().click();
    await box.getByText("3%", { exact: true }).click();
    await page.setViewportSize(narrow);
    await box.waitFor({ state: "detached" });
    await openSheet(tab, "Buy");
    expect(await amount()).toBe("0.0123");
    await box.getByLabel("You pay").fill("0.0456");
    await dialog(tab).getByRole("button", { name: "Close" }).click();
    await openSheet(tab, "Buy");
    expect(await amount()).toBe("0.0456");
    expect(await tab.findBarriers()).toEqual([]);
    await page.setViewportSize(wide);
    await dialog(tab).waitFor({ state: "hidden" });
    expect(await amount()).toBe("0.0456");
    expect(await box.getByLabel("3%").isChecked()).toBe(true);
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });

  it("keeps a trade that is under way, and finds it open after a reload of the narrow one", async () => {
    const wallet = await site.takeWallet();
    const tab = await openTrade(wallet);
    const { page } = tab;
    const release = holdNextTransaction(wallet);
    const sent = dialog(tab).getByText("Sent, waiting for confirmation");
    await confirmTrade(page, /^Buy for/);
    await sent.waitFor();
    await page.setViewportSize(narrow);
    await page.getByRole("button", { name: "Buy", exact: true }).last().waitFor({ state: "attached" });
    await sent.waitFor();
    await page.setViewportSize(wide);
    await sent.waitFor();
    await page.setViewportSize(narrow);
    await page.reload();
    await findTradeBox(page).getByText("Trade in progress.").waitFor();
    release();
    await findTradeBox(page).getByText("Trade complete.").waitFor();
    expect(wallet.of("eth_sendTransaction")).toHaveLength(1);
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });
});

describe("a page with a pending trade", () => {
  it("follows it after a reload", async () => {
    const wallet = await site.takeWallet();
    const tab = await openTrade(wallet);
    const mining = await delayMining(site.stack.rpcUrl);
    wallet.behave("eth_sendTransaction", ([transaction]) => mining.send(wallet, transaction as object));
    try {
      await confirmTrade(tab.page, /^Buy for/);
      await dialog(tab).getByText("Sent, waiting for confirmation").waitFor();
      await tab.page.reload();
      await findTradeBox(tab.page).getByRole("button", { name: "Show steps" }).click();
    } finally {
      await mining.mine();
    }
    await done(tab).waitFor();
    expect(wallet.of("eth_sendTransaction")).toHaveLength(1);
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });
});

describe("the trade box", () => {
  it("says how much is missing, and asks for a typed symbol before a ruinous price", async () => {
    const wallet = await site.takeWallet();
    const tab = await openTrade(wallet, "0.01", site.stack.tokens[1]);
    const box = findTradeBox(tab.page);
    await box.getByLabel("You pay").fill("20000");
    await box.getByText(/Insufficient balance: you need [\d,]+ ETH more/).waitFor();
    expect(await box.getByRole("button", { name: /^Review/ }).isDisabled()).toBe(true);
    expect(await tab.findBarriers()).toEqual([]);

    await box.getByLabel("You pay").fill("3");
    await box.getByRole("button", { name: /^Review/, disabled: false }).click();
    const confirm = dialog(tab).getByRole("button", { name: /^Buy for 3/ });
    expect(await confirm.isDisabled()).toBe(true);
    await dialog(tab)
      .getByLabel(/^Type TIDE/)
      .fill("TIDE");
    expect(await confirm.isEnabled()).toBe(true);
    expect(tab.problems([422])).toEqual([]);
    await tab.close();
  });

  it("is used by keyboard alone, from the amount to the confirmation", async () => {
    const wallet = await site.takeWallet();
    wallet.behave("eth_accounts", null);
    const tab = await openTrade(wallet, "0.01");
    const { page } = tab;
    await findTradeBox(page).getByLabel("You pay").focus();
    const pressUntil = async (name: RegExp) => {
      for (let presses = 0; presses < 30; presses++) {
        await page.keyboard.press("Tab");
        const focused = await page.evaluate(() => document.activeElement?.textContent ?? "");
        if (name.test(focused)) return;
      }
      throw new Error(`${name} cannot be reached by the Tab key`);
    };
    await pressUntil(/^Review/);
    await page.keyboard.press("Enter");
    await dialog(tab)
      .getByRole("button", { name: /^Buy for/ })
      .waitFor();
    await pressUntil(/^Buy for/);
    await page.keyboard.press("Enter");
    await done(tab).waitFor();
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });
});
