import { reorganise } from "@slipway/dev/chain/reorganise";
import { createSignAndSend, rpcRequest } from "@slipway/dev/chain/rpcRequest";
import { createClient } from "@slipway/sdk/createClient";
import type { Address } from "viem";
import { beforeAll, describe, expect, it } from "vitest";
import { findTradeBox, openLivePage } from "../support/browser/journeys.ts";
import { openPosition } from "../support/browser/openPosition.ts";
import { type OpenSite, openSharedSite, type SitePage } from "../support/browser/openSite.ts";

let site: OpenSite;
beforeAll(async () => {
  site = await openSharedSite();
});

/** Buys with native from a wallet that the page does not know. */
async function buy(token: string, amountIn = "20000000000000000") {
  const { baseUrl, apiKey, rpcUrl, devFile, wallets } = site.stack;
  const client = createClient({ baseUrl, apiKey });
  const wallet = wallets[0]!;
  const order = { token, wallet: wallet.address, side: "buy", pay: "native", amount_in: amountIn } as const;
  const { transaction } = await client.prepareTradeCalls({ ...order, slippage_bps: 500 });
  return await createSignAndSend(rpcUrl, devFile.chain_id)(wallet, transaction!);
}

const tape = ({ page }: SitePage) => page.getByRole("table", { name: "Trades, newest first" }).locator("tbody tr");
/** Returns the row of a transaction in the tape, by the button that copies its hash. */
const findTrade = (tab: SitePage, { transactionHash }: { transactionHash: string }) =>
  tape(tab).filter({ has: tab.page.getByRole("button", { name: `Copy ${transactionHash}` }) });
const readPrice = ({ page }: SitePage) => page.getByTestId("price").textContent();
/** Returns the accessible close of the newest candle, and the drawing of all candles. */
const readChart = async ({ page }: SitePage) => ({
  close: await page
    .getByRole("table", { name: /Latest candles/ })
    .locator("tbody tr td:nth-of-type(4)")
    .first()
    .textContent(),
  drawing: await page
    .getByRole("region", { name: "Price" })
    .locator("canvas")
    .evaluateAll((all) => all.map((canvas) => (canvas as HTMLCanvasElement).toDataURL()).join()),
});

describe("the page of a token", () => {
  it("shows a trade of someone else at once: price, candle and tape move, and nothing goes wrong", async () => {
    const token = site.stack.tokens[0]!;
    const known = await buy(token);
    const tab = await site.openPage({ path: `/t/${token}` });
    await findTrade(tab, known).waitFor();
    await tab.page.locator("canvas").first().waitFor();
    const [price, chart] = [await readPrice(tab), await readChart(tab)];
    await findTrade(tab, await buy(token)).waitFor();
    await expect.poll(() => readPrice(tab)).not.toBe(price);
    await expect.poll(async () => (await readChart(tab)).close).not.toBe(chart.close);
    await expect.poll(async () => (await readChart(tab)).drawing).not.toBe(chart.drawing);
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });

  it("takes back the trades that a reorganisation has removed", async () => {
    const token = site.stack.tokens[1]!;
    const first = await buy(token);
    // Mines blocks in between, so that a block that is mined meanwhile does not matter.
    await rpcRequest(site.stack.rpcUrl, "anvil_mine", ["0x8"]);
    const tab = await site.openPage({ path: `/t/${token}` });
    const undone = await buy(token);
    await findTrade(tab, first).waitFor();
    await findTrade(tab, undone).waitFor();
    const head = Number(await rpcRequest<string>(site.stack.rpcUrl, "eth_blockNumber", []));
    await reorganise(site.stack.rpcUrl, head - Number(undone.blockNumber) + 4);
    await findTrade(tab, undone).waitFor({ state: "detached" });
    expect(await findTrade(tab, first).count()).toBe(1);
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });

  it("says since when it may be old while there is no network, and goes on by itself", async () => {
    const token = site.stack.tokens[0]!;
    const tab = await site.openPage();
    await openLivePage(tab, `/t/${token}`);
    await expect.poll(() => tape(tab).count()).toBeGreaterThan(0);
    const notice = tab.page.getByText(/Live data paused, as of \d\d:\d\d:\d\d/);
    await tab.context.setOffline(true);
    await notice.waitFor();
    const missed = await buy(token);
    await tab.context.setOffline(false);
    await notice.waitFor({ state: "detached" });
    await findTrade(tab, missed).waitFor();
    await tab.close();
  });

  it("goes on by itself when what reads its stream could not be loaded at first", async () => {
    const token = site.stack.tokens[0]!;
    const tab = await site.openPage();
    const files = /assets\/(leanStreamEvents|applyMessage)-/;
    await tab.page.route(files, (route) => route.abort());
    await tab.goto(`/t/${token}`);
    const notice = tab.page.getByText(/Live data paused, as of/);
    await notice.waitFor();
    await tab.page.unroute(files);
    // The page retries when the network is back.
    await tab.context.setOffline(true);
    await tab.context.setOffline(false);
    await notice.waitFor({ state: "detached" });
    await findTrade(tab, await buy(token)).waitFor();
    await tab.close();
  });

  it("stays when the chart cannot be loaded, which can be tried again", async () => {
    const token = site.stack.tokens[0]!;
    const known = await buy(token);
    const tab = await site.openPage();
    await tab.page.route("**/assets/chartCanvas-*.js*", (route) => route.abort());
    await tab.goto(`/t/${token}`);
    const chart = tab.page.getByRole("region", { name: "Price" });
    const again = chart.getByRole("button", { name: "Try again" });
    await again.waitFor();
    await findTrade(tab, known).waitFor();
    await tab.page.unroute("**/assets/chartCanvas-*.js*");
    await again.click();
    await chart.locator("canvas").first().waitFor();
    await tab.close();
  });

  it("says to a visitor without a wallet that an amount is beyond what the pool holds, in both directions", async () => {
    const token = site.stack.tokens[2]!;
    await buy(token);
    const tab = await site.openPage({ path: `/t/${token}` });
    const box = findTradeBox(tab.page);
    const [amount, received] = [box.getByLabel("You pay"), box.getByText("estimate", { exact: true })];
    const fault = box.getByText("Not enough liquidity for this trade.");
    for (const [side, small, large] of [
      ["Buy", "0.01", `1${"0".repeat(26)}`],
      ["Sell", "1000", "1000000000"],
    ] as const) {
      await box.getByText(side, { exact: true }).click();
      await amount.fill(large);
      await fault.waitFor();
      expect([await amount.getAttribute("aria-invalid"), await received.count()]).toEqual(["true", 0]);
      expect(await tab.findBarriers()).toEqual([]);
      await amount.fill(small);
      await received.waitFor();
      expect([await amount.getAttribute("aria-invalid"), await fault.count()]).toEqual([null, 0]);
    }
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });

  it("marks added and removed liquidity on the chart if the visitor wants it, with amounts, time and account", async () => {
    const token = site.stack.tokens[1]! as Address;
    const { baseUrl, rpcUrl, wallets } = site.stack;
    const pool = (await createClient({ baseUrl }).getToken({ address: token })).pool as Address;
    const wallet = wallets[0]!;
    const position = await openPosition(rpcUrl, wallet, { token, pool });
    await position.add();
    await position.remove();
    // The chart has a candle at the time of the changes.
    const known = await buy(token);
    const tab = await site.openPage({ path: `/t/${token}?interval=1d`, context: { hasTouch: true } });
    const { page } = tab;
    await findTrade(tab, known).waitFor();
    const chart = page.getByRole("region", { name: "Price" });
    await chart.locator("canvas").first().waitFor();
    const list = chart.getByRole("list", { name: "Latest changes of liquidity" });
    expect(await list.count()).toBe(0);
    const drawn = (await readChart(tab)).drawing;

    await chart.getByText("Display", { exact: true }).click();
    await chart.getByLabel("Changes of liquidity").check();
    await page.keyboard.press("Escape");
    const short = `${wallet.address.slice(0, 6)}…${wallet.address.slice(-4)}`;
    await expect.poll(() => list.getByRole("listitem").allTextContents()).toHaveLength(2);
    const [removed, added] = await list.getByRole("listitem").allTextContents();
    expect(removed).toMatch(/^Removed 0 \S+ \+ 0\.0\d+ ETH/);
    expect(added).toMatch(/^Added 0 \S+ \+ 0\.\d+ ETH/);
    for (const text of [removed, added]) expect(text).toContain(short);
    await expect.poll(async () => (await readChart(tab)).drawing).not.toBe(drawn);

    // The candle of the day is the first one: the chart begins with it at its left edge.
    const box = (await chart.locator("canvas").first().boundingBox())!;
    const details = chart.getByTestId("liquidity");
    await expect
      .poll(async () => {
        await page.mouse.move(box.x + 20, box.y + box.height / 2);
        await page.mouse.move(box.x + 22, box.y + box.height / 2);
        return await details.count();
      })
      .toBe(1);
    expect(await details.textContent()).toContain(short);
    await page.mouse.move(box.x + box.width / 2, box.y - 40);
    await details.waitFor({ state: "detached" });
    expect(await tab.findBarriers()).toEqual([]);

    // The choice stays in this browser.
    await page.reload();
    await expect.poll(() => list.getByRole("listitem").count()).toBe(2);
    await expect
      .poll(async () => {
        await page.touchscreen.tap(box.x + 22, box.y + box.height / 2);
        return await details.count();
      })
      .toBe(1);
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });

  it("says so when the index is not current", async () => {
    const tab = await site.openPage();
    const error = { code: "index_unavailable", message: "Behind.", request_id: "r1", retryable: true };
    await tab.page.route("**/api/v1/launchpad/stream*", (route) => route.fulfill({ status: 503, json: { error } }));
    await tab.goto(`/t/${site.stack.tokens[0]}`);
    await tab.page.getByText(/Live data paused/).waitFor();
    expect(tab.problems([503])).toEqual([]);
    await tab.close();
  });

  it("shows the code and the request of an error, and loads when it is tried again", async () => {
    const token = site.stack.tokens[0]!;
    const tab = await site.openPage({ path: `/wallet/${site.stack.wallets[0]!.address}` });
    const error = { code: "overloaded", message: "Later.", request_id: "request-17", retryable: false };
    const path = `**/api/v1/launchpad/tokens/${token.toLowerCase()}`;
    await tab.page.route(path, (route) => route.fulfill({ status: 503, json: { error } }));
    await tab.page.getByRole("heading", { level: 1 }).waitFor();
    // Navigates within the site, because the HTML of the page itself would contain the answer.
    await tab.page.evaluate((to) => {
      history.pushState({}, "", to);
      dispatchEvent(new PopStateEvent("popstate"));
    }, `/t/${token}`);
    await tab.page.getByText("request-17").waitFor();
    expect(await tab.page.getByText("overloaded").count()).toBe(1);
    await tab.page.unroute(path);
    await tab.page.getByRole("button", { name: "Try again" }).click();
    await expect.poll(() => tape(tab).count()).toBeGreaterThan(0);
    expect(tab.problems([503])).toEqual([]);
    await tab.close();
  });

  it("asks again for a launch that is not indexed, and is the page of no token for what is no address", async () => {
    const tab = await site.openPage({ path: `/t/0x${"12".repeat(20)}` });
    await tab.page.getByText("No token found at this address").waitFor();
    await tab.goto("/t/0x12");
    await tab.page.getByRole("heading", { name: "Page not found" }).waitFor();
    expect(tab.problems([404])).toEqual([]);
    await tab.close();
  });

  it("opens the trade box as a sheet on a phone", async () => {
    const context = { viewport: { width: 360, height: 780 } };
    const tab = await site.openPage({ path: `/t/${site.stack.tokens[0]}`, context });
    await tab.page.getByRole("button", { name: "Sell", exact: true }).click();
    const dialog = tab.page.getByRole("dialog");
    await dialog.getByLabel("You pay").waitFor();
    expect(await dialog.getByRole("radio", { name: "Sell" }).isChecked()).toBe(true);
    await tab.page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });
});

describe("what strangers wrote about a token", () => {
  const hostile = {
    name: '<img src=x onerror="alert(1)">\u202egpj',
    symbol: "<b>HI</b>",
    description: "<script>alert(1)</script>\u2066[click](javascript:alert(1))",
    website: "javascript:alert(document.domain)",
    image_url: "https://evil.example/pixel.png",
    image: null,
    links: { explorer: "javascript:alert(1)//token/0xaa", x: "javascript:alert(2)", website2: "http://evil.example/" },
  };
  const recipients = [
    {
      ...{ wallet: `0x${"ab".repeat(20)}`, share_bps: 10_000, provider: "social", verified: false },
      handle: '"><img src=//evil.example onerror=alert(1)>',
    },
  ];

  it("C10-13 is text: it runs nothing, loads nothing and turns no direction", async () => {
    const token = site.stack.tokens[0]!;
    const tab = await site.openPage();
    const dialogs: string[] = [];
    tab.page.on("dialog", (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    await tab.page.route(`**/api/v1/launchpad/tokens/${token.toLowerCase()}`, async (route) => {
      const answer = await route.fetch();
      const detail = (await answer.json()) as object;
      await route.fulfill({ response: answer, json: { ...detail, ...hostile, recipients } });
    });
    await tab.goto(`/t/${token}`);
    await tab.page.getByRole("heading", { level: 1, name: "<img src=x onerror=" }).waitFor();
    await tab.page.getByText("[click](javascript:alert(1))").waitFor();
    const found = await tab.page.evaluate(() => ({
      links: [...document.querySelectorAll("a")].map(({ href }) => href).filter((href) => /^javascript:/i.test(href)),
      pictures: [...document.images].map(({ src }) => src).filter((src) => !src.startsWith(location.origin)),
      handlers: document.querySelectorAll("[onerror], [onclick], [onload]").length,
      scripts: [...document.scripts].filter(({ text }) => text.includes("alert")).length,
      // The answers in the HTML are data, not text of the page.
      text: /[\u202a-\u202e\u2066-\u2069]/.test(document.querySelector("#root")!.textContent + document.title),
    }));
    expect(found).toEqual({ links: [], pictures: [], handlers: 0, scripts: 0, text: false });
    expect(dialogs).toEqual([]);
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });

  it("C10-14 is the same in the lists of a wallet", async () => {
    const { address } = site.stack.wallets[0]!;
    const tab = await site.openPage();
    await tab.page.route(`**/api/v1/launchpad/wallets/${address.toLowerCase()}`, async (route) => {
      const answer = await route.fetch();
      const wallet = (await answer.json()) as { holdings: { token: object }[] };
      const { name, symbol, image_url: image } = hostile;
      const holdings = wallet.holdings.map((row) => ({ ...row, token: { ...row.token, name, symbol, image } }));
      await route.fulfill({ response: answer, json: { ...wallet, holdings } });
    });
    await tab.goto(`/wallet/${address}`);
    await tab.page.getByText("<b>HI</b>").first().waitFor();
    expect(await tab.page.locator("td img").count()).toBe(0);
    expect(await tab.page.evaluate(() => document.querySelector("#root")!.textContent.includes("\u202e"))).toBe(false);
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });
});
