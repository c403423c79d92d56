import { getFreePort } from "@slipway/dev/process/getFreePort";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { readAnswers, sendRaw } from "../support/security/rawHttp.ts";
import { startTestStack, type TestStack } from "../support/security/startTestStack.ts";

let stack: TestStack;
let site: string;
const api = "/api/v1/launchpad";
const picture = `${api}/qr.png?text=0x${"ab".repeat(20)}`;
const publicPaths = [`${api}/tokens`, `${api}/tokens?limit=7&sort=new`, `${api}/analytics`, `${api}/config`, picture];

beforeAll(async () => {
  stack = await startTestStack();
  site = await stack.listen(await getFreePort());
  // The index is served once it has reached the head.
  await vi.waitFor(async () => expect((await fetch(`${site}${api}/tokens`)).status).toBe(200), 60_000);
});
afterAll(() => stack?.close());

type Got = { status: number; headers: Headers; bytes: Buffer };

async function get(path: string, headers: Record<string, string> = {}, init: RequestInit = {}): Promise<Got> {
  const response = await fetch(`${site}${path}`, { redirect: "manual", ...init, headers });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** Visitors that a shared cache could wrongly distinguish. */
const visitors = (): Record<string, string>[] => [
  { cookie: "slipway.session_token=somebody" },
  { cookie: "a=1; b=2", "accept-language": "de", "user-agent": "other" },
  { authorization: `Bearer ${stack.account.key}` },
  { authorization: "Bearer of nothing", origin: "https://elsewhere.example" },
];

describe("C4-12 a public answer", () => {
  it.each(publicPaths)("is the same for everybody, with a cookie, a credential or neither: %s", async (path) => {
    // An answer that changes meanwhile changes for everyone; then all requests are repeated.
    await vi.waitFor(async () => {
      const plain = await get(path);
      expect(plain.headers.get("cache-control")).toBe("public, max-age=10");
      const etag = plain.headers.get("etag");
      // Twice: first by the framework, then from memory.
      for (const visitor of [...visitors(), ...visitors()]) {
        const { status, headers, bytes } = await get(path, visitor);
        expect([status, headers.get("etag"), headers.get("cache-control")]).toEqual([200, etag, "public, max-age=10"]);
        expect(bytes.equals(plain.bytes)).toBe(true);
        expect(headers.get("vary") ?? "").not.toMatch(/cookie|authorization|\*/i);
        expect(headers.get("set-cookie")).toBeNull();
      }
    }, 30_000);
  });

  it("never comes with a cookie, and what comes with a cookie is never public", async () => {
    for (const path of [...publicPaths, "/healthz", "/readyz", "/docs/", `${api}/openapi.json`, `${api}/nothing`]) {
      const { headers } = await get(path, { cookie: "slipway.session_token=somebody" });
      expect(headers.get("set-cookie"), path).toBeNull();
    }
    for (const path of [`${api}/intents`, `${api}/gas/topups/0x${"0".repeat(64)}`]) {
      const { headers } = await get(path, { authorization: `Bearer ${stack.account.key}` });
      expect(headers.get("cache-control"), path).toBe("no-store");
    }
  });
});

const errors: [string, number, () => Promise<Got>][] = [
  ["a bad query", 400, () => get(`${api}/tokens?limit=0`)],
  ["a bad path", 400, () => get(`${api}/tokens/0x12`)],
  ["a path that cannot be decoded", 400, () => get("/%zz")],
  ["a credential in the URL", 400, () => get(`${api}/tokens?api_key=x`)],
  ["no credential", 401, () => get(`${api}/intents`)],
  ["a token that is not indexed", 404, () => get(`${api}/tokens/0x${"ab".repeat(20)}`)],
  ["no route", 404, () => get(`${api}/nothing`)],
  ["no route at the root", 404, () => get("/nothing")],
  ["another method", 405, () => get(`${api}/tokens`, {}, { method: "DELETE" })],
  ["a large body", 413, () => post("x".repeat(70_000))],
  ["a bad body", 400, () => post("{")],
  ["a bad field", 422, () => post("{}")],
];

function post(body: string): Promise<Got> {
  const headers = { authorization: `Bearer ${stack.account.key}`, "content-type": "application/json" };
  return get(`${api}/intents`, { ...headers, "idempotency-key": "public-answers" }, { method: "POST", body });
}

describe("C4-12 an error", () => {
  it.each(errors)("is kept by no cache and has the form of every error: %s", async (_, status, ask) => {
    const { headers, bytes, ...answer } = await ask();
    expect(answer.status).toBe(status);
    expect([headers.get("cache-control"), headers.get("etag"), headers.get("set-cookie")]).toEqual([
      ...["no-store", null, null],
    ]);
    const { error } = JSON.parse(bytes.toString()) as { error: { request_id: string } };
    expect(error.request_id).toBe(headers.get("x-request-id"));
  });
});

/** The browser security headers of every answer. */
function expectGuarded(headers: Headers, what: string): void {
  expect(headers.get("x-content-type-options"), what).toBe("nosniff");
  expect(headers.get("content-security-policy"), what).toMatch(/default-src 'none'/);
  expect(headers.get("content-security-policy"), what).toMatch(/frame-ancestors 'none'/);
  expect(headers.get("referrer-policy"), what).toBe("no-referrer");
  expect(headers.get("x-powered-by"), what).toBeNull();
  expect(headers.get("server"), what).toBeNull();
}

describe("the headers that protect a browser", () => {
  it("are those of every answer", async () => {
    for (const path of [...publicPaths, ...publicPaths, "/healthz", "/metrics", `${api}/openapi.json`, "/docs/"]) {
      expectGuarded((await get(path)).headers, path);
    }
    for (const [what, , ask] of errors) expectGuarded((await ask()).headers, what);
    const { headers } = await get(`${api}/tokens`);
    const unchanged = await get(`${api}/tokens`, { "if-none-match": headers.get("etag")! });
    expectGuarded(unchanged.headers, `${unchanged.status} of a conditional request`);
    expectGuarded((await get(`${api}/tokens`, {}, { method: "HEAD" })).headers, "HEAD");
    const preflight = { origin: "https://elsewhere.example", "access-control-request-method": "POST" };
    expectGuarded((await get(`${api}/intents`, preflight, { method: "OPTIONS" })).headers, "a preflight");
  });

  it("are those of a stream", async () => {
    const stopped = new AbortController();
    const { status, headers } = await fetch(`${site}${api}/stream`, { signal: stopped.signal });
    stopped.abort();
    expect(status).toBe(200);
    expectGuarded(headers, "a stream");
    expect(headers.get("cache-control")).toMatch(/no-store|no-cache/);
  });

  it("are those of a refused handshake", async () => {
    const handshake = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n";
    const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    const answer = await sendRaw(Number(new URL(site).port), `GET /ws HTTP/1.1\r\nHost: x\r\n${handshake}${key}\r\n`);
    const [refused] = readAnswers(answer);
    expect(refused?.status).toBe(401);
    expectGuarded(new Headers(refused!.headers), "a refused handshake");
  });

  it("let the documentation's page run its own script and nothing from elsewhere", async () => {
    const policy = (await get("/docs/")).headers.get("content-security-policy")!;
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
  });

  it("ask for HTTPS only where the site has it", async () => {
    expect((await get(`${api}/tokens`)).headers.get("strict-transport-security")).toBeNull();
    const secure = await stack.openServer({ SITE_URL: "https://launch.example" });
    const at = await secure.listen(await getFreePort());
    for (const path of [`${api}/tokens`, `${api}/tokens`, `${api}/nothing`]) {
      const response = await fetch(`${at}${path}`);
      await response.arrayBuffer();
      expect(response.headers.get("strict-transport-security")).toMatch(/^max-age=\d{8}/);
    }
    await secure.close();
  });
});

describe("the limit of answers that are ready in memory", () => {
  it("counts them, says what is left once half is used, and never in another's answer", async () => {
    const small = await stack.openServer({ READ_LIMIT_PER_SECOND: "1", READ_LIMIT_BURST: "40", TRUST_PROXY: "true" });
    const at = await small.listen(await getFreePort());
    const ask = async (address: string) => {
      const response = await fetch(`${at}${api}/tokens`, { headers: { "x-forwarded-for": address } });
      await response.arrayBuffer();
      return response;
    };
    const since = performance.now();
    const answers: Response[] = [];
    for (let n = 0; n < 60; n++) answers.push(await ask("192.0.2.1"));
    const allowed = answers.filter(({ status }) => status === 200);
    expect(allowed.length).toBeGreaterThanOrEqual(40);
    expect(allowed.length).toBeLessThanOrEqual(40 + Math.ceil(((performance.now() - since) / 1000) * 1.1));
    // The framework identifies requests by a UUID, the cache by a UUID with a number.
    const fromMemory = allowed.filter(({ headers }) => /-\d{10}$/.test(headers.get("x-request-id")!));
    expect(fromMemory.length).toBeGreaterThan(5);
    for (const { headers } of allowed) expect(headers.get("ratelimit-policy")).toBe('"read";q=40;w=40');
    expect(allowed[0]!.headers.get("ratelimit")).toBeNull();
    const left = fromMemory.map(({ headers }) => headers.get("ratelimit")).filter((value) => value !== null);
    expect(left.length).toBeGreaterThan(0);
    for (const value of left) expect(Number(/^"read";r=(\d+);t=\d+$/.exec(value)?.[1])).toBeLessThan(20);
    // Another visitor still has all requests.
    expect((await ask("192.0.2.2")).headers.get("ratelimit")).toBeNull();
    await small.close();
  });
});
