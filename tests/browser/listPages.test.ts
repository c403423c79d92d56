import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OpenSite, openSite, type SitePage } from "../support/browser/openSite.ts";

let site: OpenSite;
beforeAll(async () => {
  // With the trader: its trades are what live rows show.
  site = await openSite({ demo: true });
});
afterAll(() => site?.close());

const pages = [
  "/",
  "/?q=no%20such%20token",
  "/gallery",
  "/gallery?sort=random&seed=7",
  "/directory",
  "/status",
  "/no/page",
];
const api = "**/api/v1/launchpad";

/** Waits until nothing of the page is loading. */
const untilLoaded = ({ page }: SitePage) =>
  expect.poll(() => page.locator("main [aria-busy=true], main .bg-line\\/60").count()).toBe(0);

describe("the pages of lists", () => {
  it.each([
    [360, "dark"],
    [768, "light"],
    [1280, "dark"],
    [1920, "light"],
  ] as const)("have no barriers and never scroll sideways, %d pixels wide and %s", async (width, colorScheme) => {
    const site1 = await site.openPage({ context: { viewport: { width, height: 900 }, colorScheme } });
    for (const path of pages) {
      await site1.goto(path);
      await site1.page.locator("h1, h2").first().waitFor();
      await untilLoaded(site1);
      const overflow = () =>
        site1.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      expect([path, await overflow()]).toEqual([path, 0]);
      expect([path, await site1.findBarriers()]).toEqual([path, []]);
    }
    expect(site1.problems()).toEqual([]);
    await site1.context.close();
  });

  it("follow the choice of a theme, also after a reload", async () => {
    const opened = await site.openPage({ path: "/status", context: { colorScheme: "light" } });
    const { page } = opened;
    const getTheme = () => page.evaluate(() => document.documentElement.dataset.theme);
    expect(await getTheme()).toBe("light");
    await page.getByRole("button", { name: "Theme: System" }).click();
    await page.getByRole("button", { name: "Theme: Light" }).click();
    expect(await getTheme()).toBe("dark");
    await page.reload();
    expect(await getTheme()).toBe("dark");
    await opened.context.close();
  });
});

describe("explore", () => {
  it("is drawn from the answer in the HTML, also when every request for it fails", async () => {
    const opened = await site.openPage();
    await opened.page.route(`${api}/tokens?sort=volume**`, (route) => route.abort());
    await opened.goto("/");
    const table = opened.page.getByRole("table");
    await expect.poll(() => table.getByRole("link").count()).toBe(3);
    await opened.context.close();
  });

  it("shows trades as they happen, without a reload", async () => {
    const opened = await site.openPage();
    // The stream alone can change a price.
    await opened.page.route(`${api}/tokens?**`, (route) => route.abort());
    await opened.goto("/");
    const readPrices = () => opened.page.locator("tbody td:nth-child(3)").allInnerTexts();
    const before = await readPrices();
    expect(before).toHaveLength(3);
    await expect.poll(readPrices).not.toEqual(before);
    await opened.context.close();
  });

  it("searches from the keyboard, keeps the search in the URL and says what to do when nothing is found", async () => {
    const opened = await site.openPage({ path: "/" });
    const { page } = opened;
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("kettle");
    await expect.poll(() => page.url()).toMatch(/\?q=kettle$/);
    await expect.poll(() => page.getByRole("table").getByRole("link").allInnerTexts()).toEqual(["Copper Kettle"]);
    await page.keyboard.type("/zz");
    await page.getByText("No token has “kettle/zz”").waitFor();
    await page.getByRole("button", { name: "Clear the search", exact: true }).last().click();
    await expect.poll(() => page.getByRole("table").getByRole("link").count()).toBe(3);
    await page.getByText("Newest", { exact: true }).click();
    await expect.poll(() => page.url()).toContain("sort=new");
    await page.reload();
    expect(await page.getByRole("radio", { name: "Newest" }).isChecked()).toBe(true);
    await opened.context.close();
  });
});

describe("an error", () => {
  it.each(["/directory", "/gallery", "/status"])(
    "is shown on %s with its code and request id, until a retry succeeds",
    async (path) => {
      const opened = await site.openPage();
      const { page } = opened;
      const error = { code: "internal_error", message: "It broke.", request_id: "request-7", retryable: false };
      const broken = /\/api\/v1\/launchpad\/(directory|gallery|config|analytics)/;
      await page.route(broken, (route) => route.fulfill({ status: 500, json: { error } }));
      await opened.goto(path);
      const note = page.getByRole("alert").filter({ hasText: "request-7" }).first();
      await note.waitFor();
      expect(await note.textContent()).toContain("internal_error");
      await page.unroute(broken);
      while ((await page.getByRole("button", { name: "Try again" }).count()) > 0) {
        const notes = await page.getByRole("button", { name: "Try again" }).count();
        await page.getByRole("button", { name: "Try again" }).first().click();
        await expect.poll(() => page.getByRole("button", { name: "Try again" }).count()).toBeLessThan(notes);
      }
      await page.getByRole("heading", { level: 1 }).waitFor();
      await opened.context.close();
    },
  );
});
