import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Business, listingLengths } from "@slipway/protocol/businesses";
import { createClient } from "@slipway/sdk/createClient";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { untilDrawn } from "../support/browser/demoPages.ts";
import { type OpenSite, openSite, type SitePage } from "../support/browser/openSite.ts";

const word = "W".repeat(10_000);
const script = "<script>window.taken = true</script>";
const picture = `<img src="https://evil.example/pixel" onerror="window.taken = true">`;
/** A right-to-left override: displayed as `moc.elpmaxe`. */
const turned = "\u202eexample.com\u2066";
const runs = "javascript:window.taken = true";
const data = "data:text/html,<script>window.taken = true</script>";

/** The content of a partner's feed. The path of the first listing's page is also markup. */
const entries = [
  {
    id: `"><svg/onload=window.taken=1>`,
    name: `${script}Markup`,
    description: `${picture} ${script}`,
    website: runs,
    image: data,
    url: data,
    email: runs,
    phone: runs,
    hours: script,
    tags: [script, runs],
    links: { x: runs, github: data, instagram: "https://www.instagram.com/kept" },
    category: "__proto__",
    address: { street: script, city: picture, country: "DE" },
  },
  { id: "2", name: `Turned ${turned} end`, description: `${turned}\n${turned}`, hours: turned },
  { id: "3", name: word, description: word, hours: word, tags: [word], address: { street: word, city: word } },
];

let feed: Server;
let site: OpenSite;

beforeAll(async () => {
  feed = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ name: `${picture}${word}`, licence: script, items: entries }));
  });
  feed.listen(0, "127.0.0.1");
  await once(feed, "listening");
  const { port } = feed.address() as AddressInfo;
  const environment = { PARTNER_A_URL: `http://127.0.0.1:${port}/feed`, PARTNER_POLL_MS: "1000" };
  site = await openSite({ demo: false, environment });
  await vi.waitUntil(async () => (await readListings()).length === entries.length, { timeout: 60_000, interval: 100 });
});
afterAll(async () => {
  await site?.close();
  feed?.closeAllConnections();
  feed?.close();
});

const getClient = () => createClient({ baseUrl: site.stack.baseUrl, apiKey: site.stack.apiKey });
const readListings = async () => (await getClient().getDirectory({ limit: 50 })).items;
const toPath = ({ id }: Business) => `/business/${encodeURIComponent(id)}`;

/** Checks that the page is unaffected by the content of a listing; the caller checks its texts. */
async function expectInert(tab: SitePage): Promise<void> {
  const { page } = tab;
  await untilDrawn(page);
  const found = await page.evaluate(() => {
    const attributes = [...document.querySelectorAll("*")].flatMap((element) =>
      [...element.attributes].map(({ name, value }) => ({ name, value })),
    );
    return {
      taken: "taken" in window,
      // The site's own scripts are in the head; the rendered content has none.
      inner: document.querySelectorAll("main script, main iframe, main object, main embed, main style").length,
      handlers: attributes.filter(({ name }) => name.startsWith("on")).map(({ name }) => name),
      links: attributes
        .filter(({ name }) => ["href", "src", "srcset", "action", "formaction", "data", "poster"].includes(name))
        .map(({ value }) => value)
        .filter((value) => !/^(https:\/\/|\/|#)/.test(value) && !value.startsWith(`${location.origin}/assets/`)),
      turning: /\p{Bidi_Control}/u.test(document.body.textContent + document.title),
      excess: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    };
  });
  expect([page.url(), found]).toEqual([
    page.url(),
    { taken: false, inner: 0, handlers: [], links: [], turning: false, excess: 0 },
  ]);
  expect(tab.problems()).toEqual([]);
}

/** Opens a page on a phone and in a wide window. */
async function expectInertPage(tab: SitePage, path: string): Promise<void> {
  for (const width of [360, 1280]) {
    await tab.page.setViewportSize({ width, height: 900 });
    await tab.goto(path);
    await expectInert(tab);
  }
}

const text = (page: Page, shown: string) => page.getByRole("main").getByText(shown).first().waitFor();

describe("C5-10 a hostile listing", () => {
  it("C5-10 of a partner's feed is text in the list and on its page", async () => {
    const tab = await site.openPage();
    await expectInertPage(tab, "/directory");
    await text(tab.page, `${script}Markup`);
    await text(tab.page, picture);
    await text(tab.page, "Turned example.com end");
    for (const listing of await readListings()) {
      await expectInertPage(tab, toPath(listing));
      await tab.page.getByRole("heading", { level: 1, name: listing.name }).waitFor();
    }
    // A click in the list leads to the same page, even if the id is markup.
    await tab.goto("/directory");
    await tab.page.getByRole("link", { name: `${script}Markup` }).click();
    await tab.page.getByRole("heading", { level: 1, name: `${script}Markup` }).waitFor();
    await expectInert(tab);
    const links = await tab.page.locator("main a[target=_blank]").evaluateAll((all) => all.map((one) => one.outerHTML));
    expect(links).toHaveLength(1);
    expect(links[0]).toContain(`href="https://www.instagram.com/kept" target="_blank" rel="noopener noreferrer`);
    await tab.close();
  });

  it("C5-10 of an account of this service is text in the list and on its page", async () => {
    const { id } = await getClient().createBusiness(
      {
        name: "<svg onload=alert(1)>".padEnd(80, "W"),
        description: `${script}${word.slice(0, 1_900)}`,
        category: "other",
      },
      { idempotencyKey: crypto.randomUUID() },
    );
    const tab = await site.openPage();
    await expectInertPage(tab, "/directory?source=own");
    await text(tab.page, script);
    // The partner's feed is named although none of its listings is shown.
    await tab.page.getByText(picture.slice(0, 50)).waitFor();
    await expectInertPage(tab, `/business/${id}`);
    await text(tab.page, script);
    await tab.close();
  });

  it("C5-10 is inert on the page itself, even if the service answered it as it came", async () => {
    const known = (await readListings()).find(({ source }) => source === "partner_a");
    const raw = {
      ...known!,
      id: "partner_a:raw",
      name: `${script}${turned}${word}`,
      description: `${picture}${turned} ${word}`,
      website: runs,
      tags: [word, script],
      links: { x: runs, github: data },
      category: word,
      address: { street: turned, city: word, region: script, postal_code: picture, country: turned },
      contact: { email: runs, phone: runs, hours: `${turned}\n${word}` },
      attribution: { ...known!.attribution, source_name: `${turned}${word}`, url: runs, licence: script },
      also_on: [{ source: "partner_b", id: script, url: runs }],
    };
    const tab = await site.openPage();
    await tab.page.route(/\/launchpad\/directory/, async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), items: [raw] } });
    });
    await tab.page.route(/\/launchpad\/businesses\//, (route) => route.fulfill({ json: raw }));
    await expectInertPage(tab, "/directory");
    await text(tab.page, script);
    // A browser needs seconds to wrap ten words of 10,000 characters, so no part of the page has such a word.
    const readLongest = () =>
      tab.page.evaluate(() => {
        const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        let longest = 0;
        while (texts.nextNode()) longest = Math.max(longest, texts.currentNode.textContent!.length);
        return longest;
      });
    expect(await readLongest()).toBeLessThanOrEqual(1_001);
    await expectInertPage(tab, toPath(known!));
    await text(tab.page, script);
    await text(tab.page, runs);
    expect(await readLongest()).toBeLessThanOrEqual(listingLengths.description + 1);
    expect(await tab.page.locator("main a[target=_blank]").count()).toBe(0);
    // A refetch of the page can still be in a route.
    await tab.page.unrouteAll({ behavior: "wait" });
    await tab.close();
  });

  it("C5-10 would not run even as a part of the page: the policy refuses scripts that are not the site's", async () => {
    const tab = await site.openPage({ path: "/directory" });
    const { page } = tab;
    await untilDrawn(page);
    await page.evaluate(() => {
      const seen: string[] = [];
      Object.assign(window, { seen });
      document.addEventListener("securitypolicyviolation", ({ effectiveDirective, disposition }) => {
        seen.push(`${disposition} ${effectiveDirective}`);
      });
    });
    const readSeen = () => page.evaluate(() => [...new Set((window as any).seen as string[])]);
    // Text that did not pass a Trusted Types policy is rejected before it becomes a script.
    await page.evaluate(() => {
      const element = document.createElement("script");
      element.append("window.taken = true");
      document.body.append(element);
    });
    await expect.poll(readSeen).toEqual(["enforce require-trusted-types-for"]);
    // An attacker who could create one still has an inline script without the hash of the site's own script.
    await page.evaluate(() => {
      const policy = (window as any).trustedTypes.createPolicy("of-the-test", { createScript: (text: string) => text });
      const element = document.createElement("script");
      element.textContent = policy.createScript("window.taken = true");
      document.body.append(element);
    });
    await expect.poll(readSeen).toContain("enforce script-src-elem");
    await page.evaluate(() => {
      const link = document.createElement("a");
      link.href = "javascript:window.taken = true";
      document.body.append(link);
      link.click();
    });
    await expect.poll(() => page.evaluate(() => (window as any).seen.length)).toBeGreaterThan(2);
    expect(await page.evaluate(() => "taken" in window)).toBe(false);
    // The console reports each rejection, and nothing else.
    expect(tab.problems().filter((problem) => !/Content Security Policy|TrustedScript/i.test(problem))).toEqual([]);
    await tab.close();
  });
});
