import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { alertPages } from "@slipway/server/features/alerts/pages";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { launchChromium } from "../support/browser/launchChromium.ts";

type Received = { method: string; url: string; body: string; type: string | undefined };

const ticket = "A".repeat(72);
let browser: Browser;
let page: Page;
let site: string;
const received: Received[] = [];
let status = 200;
const faults: string[] = [];

/** Serves the pages with their policies, and records all other requests. */
const server = createServer((request, response) => {
  const found = alertPages[request.url!];
  if (found !== undefined && request.method === "GET") {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8", "content-security-policy": found.policy });
    response.end(found.html);
    return;
  }
  let body = "";
  request.on("data", (chunk) => (body += chunk));
  request.on("end", () => {
    if (request.url !== "/favicon.ico") {
      received.push({ method: request.method!, url: request.url!, body, type: request.headers["content-type"] });
    }
    response.writeHead(status, { "content-type": "application/json" }).end("{}");
  });
});

beforeAll(async () => {
  browser = await launchChromium();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await browser?.close();
  server.closeAllConnections();
  server.close();
});
beforeEach(async () => {
  received.length = 0;
  faults.length = 0;
  status = 200;
  page = await browser.newPage();
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && /Content Security Policy/.test(message.text())) faults.push(message.text());
  });
});

const shown = async (text: string | RegExp) =>
  await expect.poll(async () => await page.locator("[role=status]").textContent()).toMatch(text);

describe.each([
  [
    "/alerts/confirm",
    "Confirm",
    { url: "/api/alerts/confirm", body: `{"ticket":"${ticket}"}`, type: "application/json" },
    /address confirmed/,
  ],
  [
    "/alerts/unsubscribe",
    "Unsubscribe",
    {
      url: `/api/alerts/unsubscribe/${ticket}`,
      body: "List-Unsubscribe=One-Click",
      type: "application/x-www-form-urlencoded",
    },
    /unsubscribed/,
  ],
])("the page %s", (path, name, request, done) => {
  it("C9-32 sends nothing when it is opened, and the ticket of its fragment when the button is pressed", async () => {
    await page.goto(`${site}${path}#${ticket}`);
    const button = page.getByRole("button", { name });
    await expect.poll(() => button.isEnabled()).toBe(true);
    expect([received, page.url()]).toEqual([[], `${site}${path}`]);
    await button.click();
    await shown(done);
    expect(received).toEqual([{ method: "POST", ...request }]);
    expect([await button.isEnabled(), faults]).toEqual([false, []]);
  });

  it("says that a refused ticket is not valid, and lets a failed request be repeated", async () => {
    status = 503;
    await page.goto(`${site}${path}#${ticket}`);
    const button = page.getByRole("button", { name });
    await button.click();
    await shown(/Try again later/);
    status = 404;
    await button.click();
    await shown(/is invalid/);
    expect(received).toHaveLength(2);
  });

  it("C9-30 takes nothing from its fragment that is no ticket", async () => {
    await page.goto(`${site}${path}#../account"><img src=x onerror=alert(1)>`);
    await shown(/is invalid/);
    expect([await page.getByRole("button", { name }).isEnabled(), received, faults]).toEqual([false, [], []]);
  });
});
