import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SitePage } from "../support/browser/openSite.ts";
import { type OpenSite, openSharedSite } from "../support/browser/openSite.ts";

let site: OpenSite;
let token: string;
const opened: SitePage[] = [];

beforeAll(async () => {
  site = await openSharedSite();
  token = site.stack.tokens[0]!;
});
afterAll(async () => {
  for (const each of opened) await each.close();
});

/** Opens a page whose scripts never arrive. */
async function openWithoutScripts(path: string, locale = "en-US"): Promise<SitePage> {
  const tab = await site.openPage({ context: { locale } });
  opened.push(tab);
  await tab.page.route("**/assets/*.js", () => {});
  await tab.page.goto(`${site.url}${path}`, { waitUntil: "commit" });
  return tab;
}

describe("before its scripts run, the site", () => {
  test("shows the tokens with their prices, and no control responds", async () => {
    const { page, problems } = await openWithoutScripts("/");
    await expect.poll(() => page.locator("h1").textContent()).toBe("Tokens");
    const row = page.locator("tbody tr", { hasText: "Harbor Light" });
    await expect.poll(() => row.isVisible()).toBe(true);
    expect(await row.textContent()).toMatch(/\$0\.0/);
    expect(await page.locator("#root > div").getAttribute("inert")).toBe("");
    // A style or a script that the policy refuses would be a message in the console.
    expect(problems()).toEqual([]);
  });

  test("shows a token's name, price and figures", async () => {
    const { page, problems } = await openWithoutScripts(`/t/${token}`);
    await expect.poll(() => page.locator("h1").textContent()).toContain("Harbor Light");
    expect(await page.getByTestId("price").textContent()).toMatch(/\$0\.0/);
    expect(problems()).toEqual([]);
  });

  test("speaks the language of the browser, and waits if the visitor chose another one", async () => {
    const { page } = await openWithoutScripts("/", "es-AR");
    await expect.poll(() => page.locator("html").getAttribute("lang")).toBe("es");
    const heading = page.locator("h1");
    await expect.poll(() => heading.textContent()).toBe("Tokens");
    await expect.poll(() => page.getByRole("navigation").first().textContent()).toContain("Explorar");
    expect(await heading.isVisible()).toBe(true);
    await page.evaluate(() => localStorage.setItem("language", "en"));
    await page.reload({ waitUntil: "commit" });
    await expect.poll(() => heading.textContent()).toBe("Tokens");
    // The rule that hides it is in the style sheet.
    await expect.poll(() => heading.isVisible()).toBe(false);
  });

  test("shows nothing for a search, whose result it does not have", async () => {
    const { page } = await openWithoutScripts("/?q=copper");
    await expect.poll(() => page.locator("#first-answers").count()).toBe(1);
    expect(await page.locator("#root").innerHTML()).toBe("");
  });
});

describe("the scripts of the site", () => {
  test.each(["/", "token"])("replace the first paint of %s without moving it", async (name) => {
    const path = name === "token" ? `/t/${token}` : name;
    const tab = await site.openPage({ context: { viewport: { width: 412, height: 823 } } });
    opened.push(tab);
    const { page, problems } = tab;
    await page.route("**/assets/*.js", () => {});
    await page.goto(`${site.url}${path}`, { waitUntil: "commit" });
    /** Reads the place after the style sheet and the font are loaded. */
    const place = async () => {
      const countPaints = () => performance.getEntriesByName("first-contentful-paint").length;
      await expect.poll(() => page.evaluate(countPaints)).toBe(1);
      await page.evaluate(() => document.fonts.ready.then(() => undefined));
      return await page.locator("h1").boundingBox();
    };
    const painted = await place();
    await page.unroute("**/assets/*.js");
    await page.goto(`${site.url}${path}`);
    await expect.poll(() => page.locator("#root > [inert]").count()).toBe(0);
    expect(await place()).toEqual(painted);
    expect(problems()).toEqual([]);
  });
});
