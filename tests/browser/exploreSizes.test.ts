import type { Database } from "@slipway/server/db/database";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { untilDrawn } from "../support/browser/demoPages.ts";
import { type OpenSite, openSite, type SitePage } from "../support/browser/openSite.ts";
import { copyToken } from "../support/server/copyToken.ts";
import { insertToken, toAddress } from "../support/server/rows.ts";
import { getVolume } from "../support/volume.ts";

let site: OpenSite;
let indexer: Pool;

beforeAll(async () => {
  // The indexer does not announce rows that the tests insert, so cached answers would not contain them.
  site = await openSite({ demo: false, environment: { READ_CACHE_BYTES: "0" } });
  indexer = new Pool({ connectionString: site.stack.databaseUrl });
  // A connection that is being closed still reports that the database stops.
  indexer.on("error", () => undefined);
});
afterAll(async () => {
  await indexer?.end();
  await site?.close();
});

/** The maximum sizes of names and figures. */
const extremes = [
  { name: "W".repeat(64), symbol: "WWWWWWWWWWWW", price: 123_456_789, market_cap: 1.2e17 },
  {
    name: "An unusually long name of a token, whose words wrap on a phone",
    symbol: "LONGWORDS",
    price: 1e-17,
    market_cap: 1e-8,
  },
  { name: "منارة الميناء القديم على الرصيف", symbol: "MANARA", price: 0.4, market_cap: 4e8 },
  { name: "אור הנמל", symbol: "OR", price: 1e-30, market_cap: 0 },
];

/** The number of tokens in the index, with the extreme ones. */
const total = getVolume(10_000, "EXPLORE_TOKENS", 5);
const countText = `${total.toLocaleString("en-US")} tokens`;

async function insertTokens(): Promise<void> {
  const { rows } = await indexer.query<{ number: number; time: number }>(
    "select block_number::int as number, block_time::int as time from chain.checkpoint",
  );
  const { number, time } = rows[0]!;
  const db = { indexer } as unknown as Database;
  const addresses: string[] = [];
  for (const [index, { name, symbol, price, market_cap }] of extremes.entries()) {
    const id = 900_001 + index;
    const launched = { block_number: number, block_time: time - index, address: toAddress(id) };
    const figures = { price, market_cap, price_24h_ago: price, changed_block: number, changed_time: time };
    const volume = { volume_24h_usd: (10n ** 18n).toString(), change_24h_pct: index % 2 ? 1e9 : -99.99 };
    addresses.push(await insertToken(db, id, { name, symbol, ...launched }, { ...figures, ...volume }));
  }
  // The widest token also has a warning mark.
  await indexer.query(
    `insert into app.token_names (token, resembles) values ($1, $2)
     on conflict (token) do update set resembles = excluded.resembles`,
    addresses.slice(0, 2),
  );
  await copyToken(indexer, 900_000 + extremes.length, total - extremes.length);
  await indexer.query("update chain.totals set launches = $1 where seconds = 0 and t = 0", [total]);
}

/** Checks an open page at both widths, in both themes. */
async function expectNoBarriers(tab: SitePage): Promise<void> {
  for (const [width, colorScheme] of [
    [360, "dark"],
    [1280, "light"],
  ] as const) {
    await tab.page.setViewportSize({ width, height: 900 });
    await tab.page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await untilDrawn(tab.page);
    const excess = await tab.page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    // A panel hides content that is wider than the panel.
    const cut = await tab.page.evaluate(
      () =>
        [...document.querySelectorAll("main table")].filter(
          (table) => table.getBoundingClientRect().right > table.parentElement!.getBoundingClientRect().right,
        ).length,
    );
    expect([width, excess, cut, await tab.findBarriers()]).toEqual([width, 0, 0, []]);
  }
}

describe("explore without a token", () => {
  it("leads to the first launch", async () => {
    const tab = await site.openPage({ path: "/" });
    await tab.page.getByRole("table").getByRole("link", { name: "Launch a token" }).waitFor();
    await expectNoBarriers(tab);
    await tab.goto("/gallery");
    await expectNoBarriers(tab);
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });
});

describe(`explore of ${countText}`, () => {
  beforeAll(insertTokens);

  it("shows the first ones, more on demand, and names and figures of any size and direction", async () => {
    const tab = await site.openPage();
    const { page } = tab;
    const links = () => page.getByRole("table").getByRole("link").count();
    await tab.goto("/");
    await page.getByRole("status").filter({ hasText: countText }).waitFor();
    expect(await links()).toBe(50);
    await page
      .getByText(/^The name or the symbol can be confused/)
      .first()
      .waitFor({ state: "attached" });
    await expectNoBarriers(tab);
    // Each page loads near the end of the one before.
    for (const count of [100, 150]) {
      await page.mouse.wheel(0, 10_000);
      await expect.poll(links).toBeGreaterThanOrEqual(count);
    }
    expect(await page.locator("tbody td:first-child").nth(99).textContent()).toBe("100");
    await tab.goto("/?sort=gainers");
    await page.getByRole("link", { name: "אור הנמל" }).first().waitFor();
    await expectNoBarriers(tab);
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });

  it("sorts both ways by the headers, by keyboard and by the order menu of a phone; the URL keeps the order", async () => {
    const tab = await site.openPage();
    const { page } = tab;
    await page.setViewportSize({ width: 1280, height: 900 });
    await tab.goto("/");
    const table = page.getByRole("table").first();
    const header = (name: string) => table.getByRole("columnheader", { name, exact: true });
    const getSort = (name: string) => header(name).getAttribute("aria-sort");
    const first = () => table.locator("tbody tr").first().getByRole("link").textContent();
    const getOrder = () => new URL(page.url()).search;
    await page.getByRole("status").filter({ hasText: countText }).waitFor();
    await expect.poll(() => getSort("Volume 24 h")).toBe("descending");
    expect(await getSort("Market cap")).toBeNull();

    await header("Volume 24 h").getByRole("button").click();
    await expect.poll(first).toBe("Token 1");
    expect([await getSort("Volume 24 h"), getOrder()]).toEqual(["ascending", "?direction=asc"]);
    // Each page of the ascending order loads near the end of the one before.
    await page.mouse.wheel(0, 10_000);
    await expect.poll(() => page.getByRole("link", { name: "Token 60", exact: true }).count()).toBe(1);
    await page.reload();
    await expect.poll(first).toBe("Token 1");
    await expectNoBarriers(tab);
    await page.setViewportSize({ width: 1280, height: 900 });

    // By keyboard: another column, then its other direction.
    await header("Market cap").getByRole("button").focus();
    await page.keyboard.press("Enter");
    await expect.poll(first).toBe(extremes[0]!.name);
    expect([await getSort("Market cap"), await getSort("Volume 24 h")]).toEqual(["descending", null]);
    await page.keyboard.press("Space");
    await expect.poll(() => getSort("Market cap")).toBe("ascending");
    expect(getOrder()).toBe("?sort=market_cap&direction=asc");

    await header("24 h").getByRole("button").click();
    await expect.poll(first).toBe(extremes[3]!.name);
    await header("24 h").getByRole("button").click();
    await expect.poll(getOrder).toBe("?sort=losers");
    expect([await getSort("24 h"), await page.getByRole("radio", { name: "Losers" }).isChecked()]).toEqual([
      "ascending",
      true,
    ]);

    // A phone shows no header of a number: the order menu has the direction.
    await page.setViewportSize({ width: 360, height: 800 });
    await page.getByText("Newest", { exact: true }).click();
    await page.getByRole("button", { name: "Newest first" }).click();
    await expect.poll(getOrder).toBe("?sort=new&direction=asc");
    await page.getByRole("button", { name: "Oldest first" }).click();
    await expect.poll(getOrder).toBe("?sort=new");
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });

  it("keeps only the rows around the window in the document, at the same places", async () => {
    const tab = await site.openPage({ path: "/", context: { viewport: { width: 1280, height: 120 } } });
    const { page } = tab;
    const findRank = (rank: number) => page.locator("tbody td:first-child").getByText(String(rank), { exact: true });
    /**
     * Scrolls down, which loads the next pages, until the list has this rank. In steps of a few windows: with jumps to the end,
     * the row of the rank could already be farther away than the rows that stay.
     *
     * @returns the row's distance from the start of the page, read before a later scroll can remove the row
     */
    const scrollUntil = async (rank: number): Promise<number> => {
      const step = () =>
        page.evaluate((text) => {
          const cell = [...document.querySelectorAll("tbody td:first-child")].find((each) => each.textContent === text);
          if (cell !== undefined) return cell.getBoundingClientRect().top + window.scrollY;
          // Not past the last row: the rows of the next page may be on their way.
          const last = [...document.querySelectorAll("tbody tr")].at(-1)!;
          if (last.getBoundingClientRect().bottom > 0) window.scrollBy(0, 500);
          return null;
        }, String(rank));
      let top: number | null = null;
      await expect.poll(async () => (top = await step()), { timeout: 120_000 }).not.toBeNull();
      return top!;
    };
    await page.locator("tbody a").first().waitFor();
    const top = await scrollUntil(60);
    await scrollUntil(400);
    // 60 windows of 120 pixels are 129 rows.
    await expect.poll(() => page.locator("tbody tr").count()).toBeLessThan(350);
    expect(await findRank(60).count()).toBe(0);
    await page.evaluate((height) => window.scrollTo(0, height), top);
    await findRank(60).waitFor();
    expect(await findRank(60).evaluate((cell) => Math.abs(cell.getBoundingClientRect().top))).toBeLessThan(120);
    expect(tab.problems()).toEqual([]);
    await tab.close();
  });
});
