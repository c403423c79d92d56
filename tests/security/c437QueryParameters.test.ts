import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Browser, signIn } from "../support/conformance/browser.ts";
import { type LiveService, startLiveService } from "../support/security/startLiveService.ts";

const api = "/api/v1/launchpad";
let service: LiveService;
let site: string;
let browser: Browser;

beforeAll(async () => {
  service = await startLiveService();
  ({ url: site } = await service.openServer({
    SITE_URL: "https://launch.example",
    AUTH_SECRET: "a secret of this test alone, 40 characters",
    CHAIN_ID: "46630",
  }));
  browser = await signIn(site);
});
afterAll(() => service?.close());

const headers = () => ({ cookie: browser.cookie, origin: "https://launch.example" });

describe("C4-37 a query parameter that an operation does not declare", () => {
  it("C4-37 stops an operation that would do more than its caller asked for", async () => {
    for (const [method, path] of [
      // Intended for one session, and for a rehearsal.
      ["DELETE", "/api/account/sessions?id=00000000-0000-4000-8000-000000000000"],
      ["DELETE", "/api/account?dry_run=true"],
      ["POST", "/api/auth/sign-out?all=false"],
    ] as const) {
      const response = await fetch(`${site}${path}`, { method, headers: headers() });
      const { error } = (await response.json()) as { error: { code: string } };
      expect([path, response.status, error.code]).toEqual([path, 400, "invalid_query"]);
    }
    expect((await fetch(`${site}/api/account`, { headers: headers() })).status).toBe(200);
  });

  it("C4-37 does not give a public answer another URL, which caches would keep once more", async () => {
    for (let n = 0; n < 3; n++) {
      for (const query of [`x=${n}`, `limit=5&x=${n}`, `limit=5&limit=${n}`, `Limit=${n}`, `q=a&q[]=${n}`]) {
        const response = await fetch(`${site}${api}/tokens?${query}`);
        await response.arrayBuffer();
        expect([query, response.status, response.headers.get("cache-control")]).toEqual([query, 400, "no-store"]);
      }
    }
  });

  it("C4-37 is refused after the credential: without one the answer reveals nothing about an operation's parameters", async () => {
    const response = await fetch(`${site}${api}/intents?x=1`);
    expect(response.status).toBe(401);
  });
});
