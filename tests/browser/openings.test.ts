import { rpcRequest } from "@slipway/dev/chain/rpcRequest";
import { launchFactoryAbi } from "@slipway/protocol/contracts/launchFactory";
import { encodeCall } from "@slipway/protocol/encodeCall";
import { createClient } from "@slipway/sdk/createClient";
import { encodeFunctionData, erc20Abi, type Hex, parseEther } from "viem";
import { beforeAll, describe, expect, it } from "vitest";
import { connect, unfold } from "../support/browser/journeys.ts";
import { type OpenSite, openSharedSite, type SitePage } from "../support/browser/openSite.ts";
import type { TestWallet } from "../support/browser/testWallet.ts";
import { createAdminKey } from "../support/conformance/createAdminKey.ts";
import { sendRaw } from "../support/security/actors.ts";

let site: OpenSite;

beforeAll(async () => {
  site = await openSharedSite();
});

/** Returns barriers on a phone in the dark theme and on a desktop in the light one, and the excess width. */
async function checkBoth(tab: SitePage): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const [width, theme, rules] of [
    [360, "dark", "all"],
    [1280, "light", "colours"],
  ] as const) {
    await tab.page.setViewportSize({ width, height: 900 });
    await tab.page.evaluate((name) => document.documentElement.setAttribute("data-theme", name), theme);
    found.push(...(await tab.findBarriers(rules)));
    const excess = await tab.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    if (excess > 0) found.push(`${width} px: ${excess} px too wide`);
  }
  return found;
}

const readBalance = async (token: string, account: Hex): Promise<bigint> => {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [account] });
  return BigInt(await rpcRequest<string>(site.stack.rpcUrl, "eth_call", [{ to: token, data }, "latest"]));
};

/**
 * Creates an opening of a wallet with a deposit, and sends its signed launch to the launch factory instead of the opening.
 * Returns the opening and the token, of which the opening has received the whole output of the buy.
 */
async function launchElsewhere(creator: TestWallet) {
  const api = createClient({ baseUrl: site.stack.devFile.base_url, apiKey: site.stack.apiKey });
  const wallet = creator.account.address;
  const send = async (prepared: { to?: string; data?: string; value?: string } | null) => {
    const call = { to: prepared!.to as Hex, data: prepared!.data as Hex, value: BigInt(prepared!.value!) };
    expect((await sendRaw({ chain: site.stack }, creator as never, call)).status).toBe("success");
  };
  const { id } = await api.createIntent({
    name: "Token DRIFT",
    symbol: "DRIFT",
    image_uri: "https://cdn.example/drift.png",
    chain_id: site.stack.devFile.chain_id as 46630,
    recipients: [{ provider: "wallet", wallet, share_bps: 10_000 }],
  });
  await send((await api.prepareSplitter({ intent_id: id, wallet, method: "factory" })).transaction);
  const deadline = Math.floor(Date.now() / 1_000) + 86_400;
  const terms = { minimum: "1", cap: parseEther("0.01234567").toString(), deadline };
  const created = await api.prepareOpening({ intent_id: id, wallet, ...terms });
  await send(created.transaction);
  const address = created.expected!.opening!;
  await expect.poll(() => api.getOpening({ address }).catch(() => null)).toMatchObject({ status: "open" });
  await send((await api.prepareOpeningDeposit({ address, wallet, amount: terms.cap })).transaction);
  await expect.poll(() => api.getOpening({ address })).toMatchObject({ status: "ready" });
  const offer = await api.authorizeOpening({ address });
  const { creator: by, params, buy, value, deadline: until } = offer.typed_data.message;
  const signature = await creator.account.signTypedData(offer.typed_data as never);
  const order = [by, params, { ...buy, minimumOut: BigInt(buy.minimumOut) }, BigInt(value), BigInt(until), signature];
  const data = encodeCall({ abi: launchFactoryAbi, functionName: "launchFor", args: order as never });
  await send({ to: site.stack.manifest.current.launch_factory.address, data, value });
  const token = offer.expected!.token!;
  await expect.poll(() => api.getOpening({ address })).toMatchObject({ other_launch: token });
  return { address, token };
}

/** Reports the opening of a page, then blocks it as the operator. */
async function reportAndBlock({ page }: SitePage, opening: string): Promise<void> {
  await page.getByRole("button", { name: "Report Token LOCK" }).click();
  await page.getByLabel("Reason").selectOption({ label: "Scam" });
  await page.getByRole("button", { name: "Send report" }).click();
  await page.getByText("Report sent").waitFor();
  const admin = await createAdminKey(site.stack.databaseUrl);
  const answer = await fetch(`${site.url}/api/admin/openings/${opening}`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${admin!.key}`, "content-type": "application/json" },
    body: JSON.stringify({ blocked: true, reason: "A test blocks it." }),
  });
  await admin!.revoke();
  expect(answer.status).toBe(200);
}

describe("an opening at one price", () => {
  it("goes from the launch form over the deposit of another wallet to the claim", async () => {
    const creator = await site.takeWallet();
    const own = await site.openPage({ wallets: [creator], path: "/launch" });
    const { page } = own;
    await connect(page);
    await page.getByLabel("Name", { exact: true }).fill("Token LOCK");
    await page.getByLabel("Symbol").fill("LOCK");
    await page.getByLabel("Or image URI").fill("https://cdn.example/lock.png");
    await unfold(page, "Trading fee");
    await page.getByLabel("Trading fee", { exact: true }).selectOption("30");
    await unfold(page, "Open at one price");
    await page.getByLabel("Minimum of deposits").fill("2");
    await page.getByLabel("Cap", { exact: true }).fill("1");
    await page.getByLabel("Deadline, in days").fill("2");
    await page.getByRole("button", { name: "Sign in to review" }).click();
    await page.getByText("Enter a minimum, a cap that is not lower, and 1 to 29 days.").first().waitFor();
    await page.getByLabel("Cap", { exact: true }).fill("3");
    await page.getByRole("button", { name: "Sign in to review" }).click();
    const create = page.getByRole("button", { name: "Create the opening" });
    await create.waitFor();
    expect(await checkBoth(own)).toEqual([]);
    const stream = page.waitForResponse((response) => /\/stream\?token=0x/.test(response.url()));
    await create.click();
    await page.waitForURL(/\/opening\/0x[0-9a-fA-F]{40}/);
    // The page follows the messages of the opening.
    expect((await stream).status()).toBe(200);
    await page.getByText("You can open as soon as the deposits reach the minimum: 2 ETH to go.").waitFor();
    await page.getByText("Each trade of the token pays 0.3% to its pool.").waitFor();
    const { pathname } = new URL(page.url());

    const depositor = await site.takeWallet();
    const other = await site.openPage({ wallets: [depositor], path: pathname });
    await connect(other.page);
    const deposit = other.page.getByRole("region", { name: "Deposit", exact: true });
    await deposit.getByRole("button", { name: "Review deposit" }).click();
    await other.page.getByText("Enter an amount such as 0.5").waitFor();
    await deposit.getByLabel("Amount").fill("2.5");
    await deposit.getByRole("button", { name: "Review deposit" }).click();
    const review = other.page.getByRole("dialog");
    await review.getByText("100.00%").waitFor();
    expect(await checkBoth(other)).toEqual([]);
    await review.getByRole("button", { name: "Deposit 2.5 ETH" }).click();
    await other.page.getByText("Deposited. Your part appears").waitFor();
    await other.page.getByRole("button", { name: "Continue" }).click();
    const part = other.page.getByRole("region", { name: "Your part" });
    await part.getByText("If it opened now").waitFor();
    expect(await checkBoth(other)).toEqual([]);

    await page.getByRole("button", { name: "Sign and open with 2.5 ETH" }).click();
    await page.getByText("Opened. Depositors can claim their tokens now.").waitFor();
    expect(creator.of("eth_signTypedData_v4")).toHaveLength(1);

    await part.getByRole("button", { name: "Claim" }).click();
    await other.page.getByText("Claimed.").waitFor();
    const link = other.page.getByRole("link", { name: "View token" });
    const token = (await link.getAttribute("href"))!.split("/").at(-1)!;
    expect(await readBalance(token, depositor.account.address)).toBeGreaterThan(0n);
    const launched = await fetch(`${site.stack.devFile.base_url}/tokens/${token}`);
    expect(await launched.json()).toMatchObject({ symbol: "LOCK", fee_bps: 30 });
    await other.page.getByRole("button", { name: "Continue" }).click();
    await part.getByText("Claimed", { exact: true }).waitFor();
    expect(await checkBoth(other)).toEqual([]);
    await other.goto("/openings");
    await other.page.getByRole("link", { name: "Token LOCK LOCK" }).waitFor();
    expect(await checkBoth(other)).toEqual([]);
    await other.goto(`/wallet/${depositor.account.address}`);
    await other.page.getByRole("region", { name: "Openings" }).getByText("Token LOCK").waitFor();

    await other.goto(pathname);
    await reportAndBlock(other, pathname.split("/").at(-1)!);
    await other.goto(pathname);
    await other.page.getByText("The operator has blocked this opening").waitFor();
    await other.page.getByRole("heading", { name: /^Blocked opening 0x/ }).waitFor();
    await part.getByText("Claimed", { exact: true }).waitFor();
    expect(await other.page.getByText(/\bLOCK\b/).count()).toBe(0);
    expect(await other.page.getByRole("button", { name: /^Report/ }).count()).toBe(0);
    expect(await checkBoth(other)).toEqual([]);
    await other.goto("/openings");
    await other.page.getByRole("link", { name: "Create an opening" }).waitFor();
    await expect.poll(() => other.page.getByRole("link", { name: "Token LOCK LOCK" }).count()).toBe(0);
    await other.goto(`/wallet/${depositor.account.address}`);
    await other.page
      .getByRole("region", { name: "Openings" })
      .getByRole("link", { name: /^Blocked opening 0x/ })
      .waitFor();
    // The page of a new opening asks until the service has indexed it.
    expect([...own.problems([404]), ...other.problems([404])]).toEqual([]);
    await own.close();
    await other.close();
  });

  it("is closed after its deadline to share the tokens of a launch without it, and only then", async () => {
    const wallet = await site.takeWallet();
    const { address, token } = await launchElsewhere(wallet);
    const tab = await site.openPage({ wallets: [wallet] });
    const { page } = tab;
    // The deadline is a time of the shared chain: the page gets the real answer, as if the deadline had passed.
    await page.route(`**/openings/${address}**`, async (route) => {
      if (route.request().method() !== "GET" || /deposits|stream/.test(route.request().url())) return route.fallback();
      const response = await route.fetch();
      const opening = await response.json();
      await route.fulfill({
        response,
        json: { ...opening, status: "refunding", if_opened_now: null, seconds_left: 0 },
      });
    });
    await tab.goto(`/opening/${address}`);
    await page.getByRole("heading", { name: /Token DRIFT/ }).waitFor();
    expect(await page.getByRole("button", { name: "Close and share" }).count()).toBe(0);
    await connect(page, page.getByRole("banner"));
    const arrived = page.getByRole("region", { name: "Tokens arrived at this opening" });
    await arrived.getByText(/which received [\d.,]+.* DRIFT/).waitFor();
    expect(await checkBoth(tab)).toEqual([]);
    await arrived.getByRole("button", { name: "Close and share" }).click();
    await page.getByText("Closed. Depositors can claim now.").waitFor();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("region", { name: "Your part" }).getByRole("button", { name: "Claim" }).click();
    await page.getByText("Claimed.").waitFor();
    expect(await readBalance(token, wallet.account.address)).toBeGreaterThan(0n);
    await expect.poll(() => arrived.count()).toBe(0);
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });
});
