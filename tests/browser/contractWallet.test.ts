import { rpcRequest } from "@slipway/dev/chain/rpcRequest";
import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { createClient } from "@slipway/sdk/createClient";
import { createPublicClient, getAddress, type Hex, http } from "viem";
import { beforeAll, describe, expect, it } from "vitest";
import { connect, unfold } from "../support/browser/journeys.ts";
import { type OpenSite, openSharedSite, type SitePage } from "../support/browser/openSite.ts";
import { createSafeBehaviours, type TestWallet } from "../support/browser/testWallet.ts";
import { createSafeWallet, type SafeWallet } from "../support/security/safeWallet.ts";

let site: OpenSite;
let nextSafe = 0;

beforeAll(async () => {
  site = await openSharedSite();
});

/** A wallet of two owners, as its extension presents it. */
async function openSafe(sendsBatches: boolean): Promise<{ safe: SafeWallet; wallet: TestWallet }> {
  const [first, second, relayer] = site.stack.wallets.slice(0, 3) as [never, never, never];
  const chain = { chain: { rpcUrl: site.stack.rpcUrl }, manifest: { chain_id: site.stack.devFile.chain_id } };
  const safe = await createSafeWallet(chain, [first, second], 2, relayer);
  await rpcRequest(site.stack.rpcUrl, "anvil_setBalance", [safe.address, "0x8ac7230489e80000"]);
  nextSafe += 1;
  const wallet = site.createWallet(first, { name: "Owners' Wallet", rdns: `test.owners.${nextSafe}` });
  for (const [method, behaviour] of Object.entries(createSafeBehaviours(safe, sendsBatches)))
    wallet.behave(method, behaviour);
  return { safe, wallet };
}

async function openReview(wallets: readonly TestWallet[], name: string, symbol: string, creator?: string) {
  const tab = await site.openPage({ wallets, path: "/launch" });
  const { page } = tab;
  await connect(page, page.locator("main"), name);
  await page.getByLabel("Name", { exact: true }).fill(`Token ${symbol}`);
  await page.getByLabel("Symbol").fill(symbol);
  await page.getByLabel("Or image URI").fill("https://cdn.example/seal.png");
  if (creator !== undefined) {
    await unfold(page, "Creator");
    await page.getByLabel("Creator address").fill(creator);
  }
  await page.getByRole("button", { name: "Sign in to review" }).click();
  await page.getByRole("heading", { name: `Launch ${symbol}` }).waitFor();
  return tab;
}

const launch = ({ page }: SitePage, symbol: string) => page.getByRole("button", { name: `Launch ${symbol}` }).click();

/** Waits for the token's page. @returns the creator in the index */
async function readCreator({ page }: SitePage): Promise<string | null> {
  await page.waitForURL(/\/t\/0x[0-9a-fA-F]{40}/);
  const address = /0x[0-9a-fA-F]{40}/.exec(page.url())![0];
  return (await createClient(site.stack).getToken({ address })).creator;
}

/** Reads how often an account has cancelled the launches that it signed. */
async function readEpoch(account: string): Promise<bigint> {
  const client = createPublicClient({ transport: http(site.stack.rpcUrl) });
  const address = site.stack.manifest.current.launch_factory.address as Hex;
  return await client.readContract({ address, abi: launchFactoryAbi, functionName: "epochOf", args: [account as Hex] });
}

/** Switches to another wallet of this browser. */
async function changeTo({ page }: SitePage, name: string): Promise<void> {
  await page.getByRole("button", { name: "Connect another account" }).click();
  await page.getByRole("dialog").getByRole("button", { name }).click();
  await page.getByRole("dialog").waitFor({ state: "hidden" });
}

describe("a creator whose wallet is a contract", () => {
  it("reads so in the review, and launches in one batch through the splitter factory", async () => {
    const { safe, wallet } = await openSafe(true);
    const tab = await openReview([wallet], "Owners' Wallet", "KEEL");
    await tab.page.getByRole("heading", { name: "You're using a contract wallet" }).waitFor();
    await tab.page.getByText("in one batch: both succeed or neither does").waitFor();
    expect(await tab.findBarriers()).toEqual([]);
    await launch(tab, "KEEL");
    expect(await readCreator(tab)).toBe(getAddress(safe.address));
    expect([wallet.of("wallet_sendCalls")[0]![0].calls.length, wallet.of("eth_sendTransaction").length]).toEqual([
      2, 0,
    ]);
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });

  it("launches in two transactions where the wallet sends no batches", async () => {
    const { safe, wallet } = await openSafe(false);
    const tab = await openReview([wallet], "Owners' Wallet", "MAST");
    await tab.page.getByText("Your wallet sends two transactions").waitFor();
    await launch(tab, "MAST");
    expect(await readCreator(tab)).toBe(getAddress(safe.address));
    expect(wallet.of("eth_sendTransaction")).toHaveLength(2);
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });

  it("signs the launch, which another account sends and pays, also after a reload in between", async () => {
    const { safe, wallet } = await openSafe(false);
    const payer = site.createWallet(site.stack.wallets[5]!);
    const tab = await openReview([wallet, payer], "Owners' Wallet", "DECK");
    const { page } = tab;
    await page.getByText("Sign with this wallet, send from another").click();
    await page.getByRole("button", { name: "Sign the launch with this wallet" }).click();
    await page.getByText("Signed by the creator").waitFor();
    expect(await tab.findBarriers()).toEqual([]);
    await changeTo(tab, "Test Wallet");
    await page.getByText("sends the launch and pays for it; the creator pays nothing").waitFor();
    await page.reload();
    await page.getByText("Signed by the creator").waitFor();
    await launch(tab, "DECK");
    expect(await readCreator(tab)).toBe(getAddress(safe.address));
    expect([wallet.of("eth_sendTransaction").length, payer.of("eth_sendTransaction").length]).toEqual([0, 2]);
    expect(wallet.of("eth_signTypedData_v4")).toHaveLength(1);
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });

  it("cancels its signature on-chain, and signs again", async () => {
    const { safe, wallet } = await openSafe(false);
    const tab = await openReview([wallet], "Owners' Wallet", "BILGE");
    const { page } = tab;
    const sign = async () => {
      await page.getByText("Sign with this wallet, send from another").click();
      await page.getByRole("button", { name: "Sign the launch with this wallet" }).click();
      await page.getByText("Signed by the creator").waitFor();
    };
    await sign();
    await page.getByRole("button", { name: "Cancel the signature" }).click();
    await page.getByText("Sign with this wallet, send from another").waitFor();
    expect(await page.getByText("Signed by the creator").count()).toBe(0);
    expect(await readEpoch(safe.address)).toBe(1n);
    await sign();
    expect(await tab.findBarriers()).toEqual([]);
    expect([wallet.of("eth_sendTransaction").length, wallet.of("eth_signTypedData_v4").length]).toEqual([1, 2]);
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });

  it("that is in no browser signs what is copied to it; a signature of something else is refused in words", async () => {
    const { safe } = await openSafe(false);
    const payer = site.createWallet(site.stack.wallets[6]!);
    const tab = await openReview([payer], "Test Wallet", "HELM", safe.address);
    const { page } = tab;
    await page.getByRole("heading", { name: "Creator signature required" }).waitFor();
    expect(await page.getByRole("button", { name: "Launch HELM" }).count()).toBe(0);
    await page.getByText("Sign on another device").click();
    await page.getByRole("button", { name: "Show data to sign" }).click();
    const read = async () => JSON.parse(await page.getByLabel("Data to sign", { exact: true }).inputValue());
    const typed = await read();
    expect(await tab.findBarriers()).toEqual([]);
    const paste = async (signature: string) => {
      await page.getByLabel("Signature", { exact: true }).fill(signature);
      await page.getByRole("button", { name: "Use this signature" }).click();
    };
    await paste("0x123");
    await page.getByText("Enter a valid signature").waitFor();
    await paste(await safe.sign({ ...typed, message: { ...typed.message, value: "1" } }));
    await launch(tab, "HELM");
    await page.getByText("Invalid signature").waitFor();
    expect(payer.of("eth_sendTransaction")).toEqual([]);
    await page.getByRole("button", { name: "Go back" }).click();
    await page.getByRole("button", { name: "Request a new signature" }).click();
    await page.getByText("Sign on another device").click();
    await page.getByRole("button", { name: "Show data to sign" }).click();
    await paste(await safe.sign(await read()));
    await launch(tab, "HELM");
    expect(await readCreator(tab)).toBe(getAddress(safe.address));
    expect(tab.problems([422])).toEqual([]);
    await tab.close();
  });
});
