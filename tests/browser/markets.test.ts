import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { bookCredits } from "@slipway/server/accounts/credits";
import { startPlan } from "@slipway/server/accounts/plans";
import { withTransaction } from "@slipway/server/db/withTransaction";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { connect } from "../support/browser/journeys.ts";
import { type OpenSite, openSite, type SitePage } from "../support/browser/openSite.ts";

let site: OpenSite;
/** The operator's connection, which gives plans and credits to accounts. */
let database: pg.Pool;
beforeAll(async () => {
  site = await openSite({ exchange: true });
  database = new pg.Pool({ connectionString: site.stack.databaseUrl, max: 1 });
  // A connection that is being closed still reports that the database stops.
  database.on("error", () => undefined);
  const read = async (path: string) => (await (await fetch(`${site.url}${path}`)).json()) as { items: any[] };
  // Waits until the history of five pairs is collected and its signals are computed.
  const isReady = async () => {
    const [markets, signals] = await Promise.all([
      read("/api/markets"),
      read("/api/trading-bot/public-signals-latest"),
    ]);
    return (
      markets.items.filter(({ status }) => status === "fresh").length === 5 &&
      signals.items.some(({ pair, track_record }) => pair === "BTC_USDT" && track_record !== null)
    );
  };
  await vi.waitUntil(isReady, { timeout: 120_000, interval: 200 });
});
afterAll(async () => {
  await database?.end();
  await site?.close();
});

let nextWallet = 0;

/** Opens a page of a new account, optionally with a plan and credits. `isNew`: it signs in on the page of the alerts. */
async function openSignedIn(
  given: { plan?: boolean; credits?: number; isNew?: boolean } = {},
): Promise<SitePage & { startPlan: () => Promise<unknown> }> {
  const own = site.createWallet(site.stack.wallets[nextWallet]!);
  nextWallet += 1;
  const opened = await site.openPage(given.isNew ? { wallets: [own], path: "/alerts" } : { signedIn: own });
  if (given.isNew) {
    await connect(opened.page);
    await opened.page.locator("main").getByRole("button", { name: "Sign in to set alerts" }).click();
    await opened.page.getByRole("heading", { name: "Your alerts" }).waitFor();
  }
  const address = own.account.address.toLowerCase();
  const found = await database.query<{ id: string }>("select id from app.accounts where lower(name) = $1", [address]);
  const account = found.rows[0]!.id;
  const start = () => withTransaction(database, (client) => startPlan(client, account, "subscriber", undefined));
  if (given.plan) await start();
  if (given.credits) {
    const grant = { accountId: account, kind: "grant" as const, amount: given.credits, reason: "test" };
    await bookCredits(database, { ...grant, requestId: randomUUID() });
  }
  return { ...opened, startPlan: start };
}

/** Checks the current state of a page in both themes. */
async function expectNoBarriers({ page, findBarriers }: SitePage): Promise<void> {
  const getOverflow = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  // Colours in transition from one theme to the other do not count.
  await page.emulateMedia({ reducedMotion: "reduce" });
  for (const theme of ["light", "dark"]) {
    await page.evaluate((name) => {
      document.documentElement.dataset.theme = name;
    }, theme);
    await page.evaluate(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)));
    // The themes differ only in their colours.
    const barriers = await findBarriers(theme === "light" ? "all" : "colours");
    expect([theme, barriers, await getOverflow()]).toEqual([theme, [], 0]);
  }
}

const readMails = () =>
  readdirSync(site.stack.devFile.mails)
    .map((name) => readFileSync(join(site.stack.devFile.mails, name), "utf8"))
    .join("")
    .replace(/=\r?\n/g, "");

describe("the markets", () => {
  it("show prices, their state and signals with their record to everyone, and say what the risk needs", async () => {
    const opened = await site.openPage({ path: "/markets", context: { viewport: { width: 360, height: 800 } } });
    const { page } = opened;
    const markets = page.getByRole("table", { name: /^Markets with price/ });
    await expect.poll(() => markets.getByRole("link").allInnerTexts()).toContain("BTC / USDT");
    await markets.getByText("Fresh").first().waitFor();
    await page.locator("summary").filter({ hasText: "Latest signals" }).click();
    const signals = page.getByRole("table", { name: /^Latest signal/ });
    await signals
      .getByText(/No skill after costs|Unproven/)
      .first()
      .waitFor();
    await page.getByText("Risk requires a plan.").waitFor();
    await expectNoBarriers(opened);
    expect(opened.problems()).toEqual([]);
    await opened.close();
  });

  it("show what is stale marked and what is unavailable without figures, never as zero", async () => {
    const opened = await site.openPage();
    const { page } = opened;
    await page.route("**/api/markets", async (route) => {
      const { items } = (await (await route.fetch()).json()) as { items: any[] };
      const [stale, gone] = items;
      Object.assign(stale, { status: "stale" });
      Object.assign(gone, { status: "unavailable", reason: "source_down", price: null, change_24h: null });
      await route.fulfill({ json: { items } });
    });
    await opened.goto("/markets");
    const rows = page.getByRole("table", { name: /^Markets with price/ }).locator("tbody tr");
    await expect.poll(() => rows.nth(0).textContent()).toContain("Stale");
    const gone = (await rows.nth(1).textContent())!;
    expect(gone).toContain("Unavailable");
    expect(gone).toContain("the source is unreachable");
    expect(gone.match(/—/g)).toHaveLength(2);
    await expectNoBarriers(opened);
    await opened.close();
  });

  it("show the chart, signals and records of one market, and say so where there is none", async () => {
    const opened = await site.openPage({ path: "/markets" });
    const { page } = opened;
    await page
      .getByRole("table", { name: /^Markets with price/ })
      .getByRole("link", { name: "BTC" })
      .click();
    await page.getByRole("heading", { level: 1, name: "BTC / USDT" }).waitFor();
    await page.locator("canvas").first().waitFor();
    await page.getByText("1m", { exact: true }).click();
    await expect.poll(() => page.url()).toContain("interval=1m");
    await page
      .getByRole("table", { name: /^Signals of this market/ })
      .getByText(/Hit|Miss/)
      .first()
      .waitFor();
    await page
      .getByRole("table", { name: /^Outcomes of each strategy/ })
      .getByText("MACD trend")
      .waitFor();
    await expectNoBarriers(opened);
    await opened.goto("/markets/NONE_USDT");
    await page.getByText("Market not found.").waitFor();
    expect(opened.problems()).toEqual([]);
    await opened.close();
  });
});

describe("the risk", () => {
  it("C10-52 needs a plan, says so, and comes by the stream of the own origin with one", async () => {
    const opened = await openSignedIn();
    const { page } = opened;
    await opened.goto("/markets");
    await page.getByText("your account has none").waitFor();
    await opened.startPlan();
    const streams: string[] = [];
    page.on("websocket", (socket) => streams.push(socket.url()));
    await opened.goto("/markets/BTC_USDT");
    await page.getByRole("heading", { name: "Calibration" }).waitFor();
    await page.getByText(/^Live/).waitFor();
    await page.getByRole("img", { name: /^Risk score: now/ }).waitFor();
    await page.getByText("not advice").first().waitFor();
    expect(streams).toEqual([`${site.url.replace("http", "ws")}/ws/risk?pair=BTC_USDT`]);
    await expectNoBarriers(opened);
    await opened.goto("/markets");
    const card = page.getByRole("listitem").filter({ hasText: "BTC / USDT" });
    await expect.poll(() => card.textContent()).toMatch(/VaR 95%\d/);
    await expectNoBarriers(opened);
    expect(opened.problems()).toEqual([]);
    await opened.close();
  });

  it("is asked for by REST where the stream is refused, and a refusal is shown", async () => {
    const opened = await openSignedIn({ plan: true });
    const { page } = opened;
    await page.routeWebSocket(/\/ws\/risk/, (socket) => void socket.close({ code: 1011 }));
    await opened.goto("/markets/BTC_USDT");
    await page.getByText("Updates every 30 seconds").waitFor();
    await page.route("**/api/risk/**", (route) => {
      const error = { code: "market_unavailable", message: "It is.", request_id: "request-9", retryable: false };
      return route.fulfill({ status: 404, json: { error } });
    });
    await opened.goto("/markets/ETH_USDT");
    await page.getByText(/^Risk unavailable/).waitFor();
    expect(opened.problems([404])).toEqual([]);
    await opened.close();
  });
});

describe("the forecast", () => {
  it("shows the fan, the charge and what is left, and charges the same request once", async () => {
    const opened = await openSignedIn({ credits: 2 });
    const { page } = opened;
    const left = () => page.locator("[data-credits]").textContent();
    await opened.goto("/forecast?pair=ETH_USDT");
    await expect.poll(left).toBe("2");
    await page.getByRole("button", { name: "Forecast for 1 credit" }).click();
    await page.getByText("1 credit charged").waitFor();
    await page.getByRole("img", { name: /50%, 80% and 95%/ }).waitFor();
    await page.getByText("No skill over the last value").waitFor();
    await page.getByRole("cell", { name: "no better than the last value" }).first().waitFor();
    await expect.poll(left).toBe("1");
    const answered = page.waitForResponse("**/api/forecast/line");
    await page.getByRole("button", { name: "Forecast for 1 credit" }).click();
    expect((await answered).headers()["credits-remaining"]).toBe("1");
    await expectNoBarriers(opened);
    expect(opened.problems()).toEqual([]);
    await opened.close();
  });

  it("C10-50 shows what is wrong at its field as text and sends nothing, and says when credits are missing", async () => {
    const opened = await openSignedIn();
    const { page } = opened;
    let sent = 0;
    page.on("request", (request) => {
      if (request.url().endsWith("/api/forecast/line")) sent += 1;
    });
    await opened.goto("/forecast");
    await page.getByText("You have no credits.").waitFor();
    await page.getByText("Custom values").click();
    const values = page.getByLabel("Values, oldest first");
    await values.fill("1 2 <img src=x onerror=alert(1)>");
    await page.getByRole("button", { name: /^Forecast for/ }).click();
    await page.getByRole("alert").filter({ hasText: "“<img” is not a number." }).waitFor();
    expect([sent, await page.locator("main img").count()]).toEqual([0, 0]);
    await values.fill("1 2 3 4 5 6 7 8 9 10");
    await page.getByLabel("Forecast length").fill("11");
    await page.getByRole("alert").filter({ hasText: "from 1 to 10" }).waitFor();
    await page.getByLabel("Forecast length").fill("10");
    await page.getByRole("button", { name: /^Forecast for/ }).click();
    await expect.poll(() => sent).toBe(1);
    await expectNoBarriers(opened);
    await expect.poll(() => opened.problems([402])).toEqual([]);
    await opened.close();
  });
});

describe("the alerts", () => {
  it("are set, confirmed by the link of their mail, listed and deleted", async () => {
    const opened = await openSignedIn({ isNew: true });
    const { page } = opened;
    await page.getByText("You need a plan to create alerts").waitFor();
    await opened.startPlan();
    await opened.goto("/alerts?pair=SOL_USDT");
    await page.getByRole("button", { name: "Create alert" }).click();
    await page.getByRole("alert").filter({ hasText: "name@example.com" }).waitFor();
    await page.getByLabel("Email address").fill("grace@example.com");
    await page.getByLabel("When").selectOption("drawdown");
    await page.getByLabel("Value", { exact: true }).fill("20");
    await page.getByRole("button", { name: "Create alert" }).click();
    await page.getByText("Check your inbox").waitFor();
    const list = page.getByRole("table", { name: "Your alerts" });
    await list.getByText("Drawdown deeper than 20%").first().waitFor();
    await expectNoBarriers(opened);

    await expect.poll(readMails).toMatch(/alerts\/confirm#[\w-]+/);
    const ticket = /alerts\/confirm#([\w-]+)/.exec(readMails())![1]!;
    const mail = await site.openPage({ beside: opened });
    await mail.goto(`/alerts/confirm#${ticket}`);
    await mail.page.getByRole("button", { name: "Confirm" }).click();
    await mail.page.getByText("Email address confirmed.").waitFor();
    await expectNoBarriers(mail);
    await opened.goto("/alerts");
    // With a confirmed address, the alert only waits for a value.
    await list.getByText(/^(Armed|Triggered|Pending)$/).waitFor();
    await list.getByRole("button", { name: /^Delete/ }).click();
    await page.getByText("No alerts yet").waitFor();

    await page.getByRole("radio", { name: "Events" }).check({ force: true });
    await page.getByLabel("Email address").fill("grace@example.com");
    await page.getByRole("button", { name: "Create alert" }).click();
    await page.getByRole("alert").filter({ hasText: "Enter 0x followed by 40 hex digits." }).waitFor();
    await page.getByLabel("Token address").fill(`0x${"12".repeat(20)}`);
    await page.getByLabel("Smallest trade in ETH").fill("0.5");
    await expectNoBarriers(opened);
    await page.getByRole("button", { name: "Create alert" }).click();
    await list.getByText("Trades of a token").first().waitFor();
    expect([...opened.problems(), ...mail.problems()]).toEqual([]);
    await opened.close();
  });

  it.each([
    ["/alerts/confirm", "Confirm", "/api/alerts/confirm", "Email address confirmed."],
    ["/alerts/unsubscribe", "Unsubscribe", "/api/alerts/unsubscribe/", "You're unsubscribed from these alerts."],
  ])(
    "C10-51 %s sends the ticket of its fragment by a press alone, and leaves it nowhere",
    async (path, name, api, done) => {
      const ticket = "T1cket".repeat(12);
      const opened = await site.openPage();
      const { page } = opened;
      const found: string[] = [];
      page.on("request", (request) => {
        const url = new URL(request.url());
        const sent = `${url.pathname}${url.search} ${request.headers().referer ?? ""} ${request.postData() ?? ""}`;
        if (sent.includes(ticket)) found.push(`${request.method()} ${url.pathname.replace(ticket, "")}`);
      });
      const answer = {
        status: 503,
        json: { error: { code: "overloaded", message: "", request_id: "r", retryable: true } },
      };
      await page.route(`**${api}**`, (route) => route.fulfill(answer));
      await opened.goto(`${path}#${ticket}`);
      const button = page.getByRole("button", { name, exact: true });
      await button.waitFor();
      await expect.poll(() => page.url()).toBe(`${site.url}${path}`);
      await expectNoBarriers(opened);
      const stored = () =>
        page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state]));
      expect([found, (await stored()).includes(ticket)]).toEqual([[], false]);
      await button.click();
      await page.getByText("Try again later").waitFor();
      answer.status = 200;
      await button.click();
      await page.getByText(done).waitFor();
      expect(found).toEqual([`POST ${api}`, `POST ${api}`]);
      await page.getByRole("link", { name: "Go to alerts" }).click();
      expect([page.url().includes(ticket), (await stored()).includes(ticket)]).toEqual([false, false]);
      expect(opened.problems([503])).toEqual([]);

      await opened.goto("/markets");
      await opened.goto(`${path}#../account"><img src=x onerror=alert(1)>`);
      await page.getByText(/is invalid/).waitFor();
      expect([await button.count(), found.length]).toEqual([0, 2]);
      await opened.close();
    },
  );
});
