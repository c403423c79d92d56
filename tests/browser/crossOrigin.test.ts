import { getFreePort } from "@slipway/dev/process/getFreePort";
import { startPlan } from "@slipway/server/accounts/plans";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchChromium } from "../support/browser/launchChromium.ts";
import { type PageServer, servePages } from "../support/browser/servePages.ts";
import { newWallet } from "../support/conformance/browser.ts";
import { type LiveService, startLiveService } from "../support/security/startLiveService.ts";

const api = "/api/v1/launchpad";
let service: LiveService;
let pages: PageServer;
let browser: Browser;
/** The site; browsers resolve every name below localhost to this machine. */
let site: string;
/** Listed: another port of the site's host, and another host of the same site. */
let otherPort: string;
let subdomain: string;
/** Listed, but another site: it shares no registrable domain with the API. */
let otherSite: string;
/** Not listed: a host of the same site, whose requests carry the session's cookie, and a host of another site. */
let sameSiteStranger: string;
let stranger: string;

beforeAll(async () => {
  browser = await launchChromium();
  service = await startLiveService();
  pages = await servePages();
  const port = await getFreePort();
  site = `http://api.shop.localhost:${port}`;
  otherPort = pages.toOrigin("api.shop.localhost");
  subdomain = pages.toOrigin("app.shop.localhost");
  otherSite = pages.toOrigin("partner.localhost");
  sameSiteStranger = pages.toOrigin("evil.shop.localhost");
  stranger = pages.toOrigin("evil.localhost");
  await service.openServer({
    PORT: String(port),
    SITE_URL: site,
    AUTH_SECRET: "a secret of this test alone, 40 characters",
    CHAIN_ID: "46630",
    ALLOWED_ORIGINS: `${otherPort},${subdomain}/,${otherSite}`,
  });
});
afterAll(async () => {
  await browser?.close();
  await pages?.close();
  await service?.close();
});

/** The result of a request for a page: the answer, or that the browser hides it from the page. */
type Seen = { status: number; body: any; headers: Record<string, string> } | "refused by the browser";

type Init = { method?: string; credentials?: "include"; headers?: Record<string, string>; body?: string };

async function ask(page: Page, path: string, init: Init = {}): Promise<Seen> {
  return await page.evaluate(
    async ([url, options]) => {
      try {
        const response = await fetch(url, options);
        const text = await response.text();
        const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
        return {
          status: response.status,
          body: isJson ? JSON.parse(text) : text,
          headers: Object.fromEntries(response.headers),
        };
      } catch {
        return "refused by the browser" as const;
      }
    },
    [`${site}${path}`, init] as const,
  );
}

const withCookies = { credentials: "include" } as const;
const json = (method: string, body: unknown, headers: Record<string, string> = {}): Init => ({
  ...withCookies,
  method,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});
const status = (seen: Seen) => (typeof seen === "string" ? seen : seen.status);
const answered = (seen: Seen) => {
  if (typeof seen === "string") throw new Error(seen);
  return seen;
};

/** Opens a page of an origin, in a separate browser or in the browser of another page. */
async function openPage(origin: string, beside?: Page): Promise<Page> {
  const context = beside?.context() ?? (await browser.newContext());
  const page = await context.newPage();
  await page.goto(`${origin}/`);
  return page;
}

/** Returns the number of requests of a route that the server has answered with a status. */
async function countRequests(method: string, route: string, answeredWith: number): Promise<number> {
  // Uses the address, because Node need not resolve the names that browsers resolve.
  const text = await (await fetch(`http://127.0.0.1:${new URL(site).port}/metrics`)).text();
  const labels = [`method="${method}"`, `route="${route}"`, `status="${answeredWith}"`];
  const line = text
    .split("\n")
    .find(
      (one) =>
        one.startsWith("slipway_http_request_duration_seconds_count") && labels.every((label) => one.includes(label)),
    );
  return Number(line?.split(" ").at(-1) ?? 0);
}

/** Signs in from a page like an application. */
async function signIn(page: Page): Promise<Seen> {
  const wallet = newWallet();
  const { body } = answered(await ask(page, "/api/auth/siwe/nonce", { ...withCookies, method: "POST" }));
  const message = [
    `${body.domain} wants you to sign in with your Ethereum account:`,
    wallet.address,
    "",
    `URI: ${body.uri}`,
    "Version: 1",
    `Chain ID: ${body.chain_id}`,
    `Nonce: ${body.nonce}`,
    `Issued At: ${new Date().toISOString()}`,
  ].join("\n");
  const signature = await wallet.signMessage(message);
  return await ask(page, "/api/auth/siwe/verify", json("POST", { message, signature }));
}

const newIntent = {
  name: "Paper Crane",
  symbol: "CRANE",
  image_uri: "https://cdn.example/crane.png",
  chain_id: 46630,
};

/** Returns the first event of the public stream, or that there is no event. */
const openEvents = async (page: Page, withCredentials: boolean) =>
  await page.evaluate(
    async ([url, credentials]) =>
      await new Promise<string>((resolve) => {
        const events = new EventSource(url, { withCredentials: credentials });
        events.addEventListener("ready", ({ data }) => {
          events.close();
          resolve(`ready ${data}`);
        });
        events.onerror = () => {
          events.close();
          resolve("refused");
        };
      }),
    [`${site}${api}/stream`, withCredentials] as const,
  );

/** Returns the answer to the first message over a WebSocket, or that the handshake was rejected. */
const openSocket = async (page: Page) =>
  await page.evaluate(
    async (url) =>
      await new Promise<string>((resolve) => {
        const socket = new WebSocket(url);
        socket.onopen = () => socket.send(JSON.stringify({ type: "ping", id: "1" }));
        socket.onmessage = ({ data }) => {
          resolve(String(data));
          socket.close();
        };
        socket.onerror = () => resolve("refused");
      }),
    `${site.replace("http", "ws")}/ws`,
  );

describe("a page of a listed origin on the same site", () => {
  it.each([
    ["another port", () => otherPort],
    ["another host", () => subdomain],
  ])("signs in, reads and writes with its session, and subscribes: %s", async (_, getOrigin) => {
    const page = await openPage(getOrigin());
    const signedIn = answered(await signIn(page));
    expect([signedIn.status, signedIn.body.account_id]).toEqual([200, expect.any(String)]);

    const account = answered(await ask(page, "/api/account", withCookies));
    expect([account.status, account.body.id]).toEqual([200, signedIn.body.account_id]);

    // The browser sends a preflight before each of these requests.
    const stored = answered(
      await ask(page, `${api}/intents`, json("POST", newIntent, { "idempotency-key": "crane-0001" })),
    );
    expect([stored.status, stored.body.status]).toEqual([201, "draft"]);
    expect(status(await ask(page, "/api/account", json("PATCH", { name: "renamed" })))).toBe(200);
    const deleted = await ask(page, `${api}/intents/${stored.body.id}`, { ...withCookies, method: "DELETE" });
    expect(status(deleted)).toBe(200);

    expect(await openEvents(page, true)).toMatch(/^ready /);
    expect(await openSocket(page)).toBe("refused");
    await startPlan(service.db.indexer, signedIn.body.account_id, "subscriber");
    expect(JSON.parse(await openSocket(page))).toEqual({ type: "pong", id: "1" });

    expect(status(await ask(page, "/api/auth/sign-out", { ...withCookies, method: "POST" }))).toBe(200);
    expect(status(await ask(page, "/api/account", withCookies))).toBe(401);
  });

  it("reads errors, and the headers that a client needs", async () => {
    const page = await openPage(subdomain);
    const unknown = answered(await ask(page, `${api}/tokens/0x${"ab".repeat(20)}`, withCookies));
    expect([unknown.status, unknown.body.error.code]).toEqual([404, "token_not_indexed"]);
    expect(unknown.headers["x-request-id"]).toBe(unknown.body.error.request_id);
    expect(unknown.headers["ratelimit-policy"]).toMatch(/^"read";/);
    const refused = answered(await ask(page, `${api}/intents`, withCookies));
    expect([refused.status, refused.body.error.code]).toEqual([401, "unauthorized"]);
    expect(answered(await ask(page, `${api}/nothing`, { ...withCookies, method: "DELETE" })).body.error.code).toBe(
      "not_found",
    );
    expect(answered(await ask(page, "/%zz", withCookies)).body.error.code).toBe("invalid_request");
    await signIn(page);
    const unavailable = answered(
      await ask(
        page,
        `${api}/splits/transactions`,
        json("POST", { intent_id: crypto.randomUUID(), wallet: `0x${"1".repeat(40)}` }),
      ),
    );
    expect([unavailable.status, unavailable.body.error.code]).toEqual([503, "manifest_missing"]);
    expect(unavailable.headers["retry-after"]).toMatch(/^\d+$/);
  });
});

describe("a public read", () => {
  it("is read by pages of every origin, and with credentials by those of listed ones, also from memory", async () => {
    const [listed, unlisted] = [await openPage(subdomain), await openPage(stranger)];
    // In turns: neither page gets an answer that was cached for the other.
    for (let turn = 0; turn < 3; turn++) {
      for (const page of [listed, unlisted]) expect(status(await ask(page, `${api}/tokens`))).toBe(200);
      expect(status(await ask(listed, `${api}/tokens`, withCookies))).toBe(200);
      expect(await ask(unlisted, `${api}/tokens`, withCookies)).toBe("refused by the browser");
    }
    expect(await openEvents(unlisted, false)).toMatch(/^ready /);
  });
});

describe("a page of a listed origin on another site", () => {
  it("has no session, since browsers keep its cookie from other sites, and works with a key", async () => {
    const page = await openPage(otherSite);
    // The cookie of the nonce is not stored, so no sign-in can follow.
    expect(status(await signIn(page))).toBe(401);
    const { key } = await service.createSubscriber();
    const authorization = `Bearer ${key}`;
    const headers = { authorization, "idempotency-key": "crane-0002" };
    expect(status(await ask(page, `${api}/intents`, json("POST", newIntent, headers)))).toBe(201);
    expect(status(await ask(page, `${api}/intents`, { ...withCookies, headers: { authorization } }))).toBe(200);
    expect(await openEvents(page, true)).toMatch(/^ready /);
  });
});

describe("C4-35 a page of an origin that is not listed", () => {
  it("C4-35 reads and changes nothing with the session that another page has in the same browser", async () => {
    const own = await openPage(subdomain);
    const accountId = answered(await signIn(own)).body.account_id;
    await startPlan(service.db.indexer, accountId, "subscriber");
    for (const origin of [sameSiteStranger, stranger]) {
      const page = await openPage(origin, own);
      const refused: [string, Init][] = [
        ["/api/account", withCookies],
        [`${api}/intents`, withCookies],
        [`${api}/intents`, json("POST", newIntent, { "idempotency-key": "crane-0003" })],
        ["/api/account", json("PATCH", { name: "taken over" })],
        ["/api/account", { ...withCookies, method: "DELETE" }],
        ["/api/account/sessions", { ...withCookies, method: "DELETE" }],
        // Without a preflight: requests that need no permission, and requests disguised as such.
        ["/api/auth/sign-out", { ...withCookies, method: "POST" }],
        [`${api}/intents`, { ...json("POST", newIntent), headers: { "content-type": "text/plain" } }],
        ["/api/auth/siwe/nonce", { ...withCookies, method: "POST" }],
      ];
      for (const [path, init] of refused) expect(await ask(page, path, init), path).toBe("refused by the browser");
      expect(await openEvents(page, true)).toBe("refused");
      expect(await openSocket(page)).toBe("refused");
    }
    // The browser sent the same site's cookie, and only the service rejected the page.
    expect(await countRequests("POST", "/api/auth/sign-out", 403)).toBeGreaterThan(0);
    expect(await countRequests("POST", "/api/auth/sign-out", 401)).toBeGreaterThan(0);
    const account = answered(await ask(own, "/api/account", withCookies));
    expect([account.status, account.body.id]).toEqual([200, accountId]);
    expect(account.body.name).not.toBe("taken over");
    expect(answered(await ask(own, `${api}/intents`, withCookies)).body.items).toEqual([]);
    expect(JSON.parse(await openSocket(own))).toEqual({ type: "pong", id: "1" });
  });

  it("C4-35 cannot use the session from a frame without an origin either", async () => {
    const own = await openPage(subdomain);
    await signIn(own);
    // The sandbox gives the frame the origin `null`.
    const seen = await own.evaluate(
      async (url) =>
        await new Promise<string>((resolve) => {
          window.onmessage = ({ data }) => resolve(String(data));
          const frame = document.createElement("iframe");
          frame.setAttribute("sandbox", "allow-scripts");
          frame.srcdoc = `<script>
            fetch(${JSON.stringify(url)}, { credentials: "include" }).then(
              ({ status }) => parent.postMessage(status, "*"), () => parent.postMessage("refused", "*"));
          </script>`;
          document.body.append(frame);
        }),
      `${site}/api/account`,
    );
    expect(seen).toBe("refused");
  });

  it("C4-35 works with a key of its own, which no browser adds by itself", async () => {
    const page = await openPage(stranger);
    const { key } = await service.createSubscriber();
    const headers = {
      authorization: `Bearer ${key}`,
      "idempotency-key": "crane-0004",
      "content-type": "application/json",
    };
    const stored = await ask(page, `${api}/intents`, { method: "POST", headers, body: JSON.stringify(newIntent) });
    expect(status(stored)).toBe(201);
  });
});
