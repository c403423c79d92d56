import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readOpenApi } from "../support/conformance/openApi.ts";
import { type RawAnswer, readAnswers, sendRaw } from "../support/security/rawHttp.ts";
import { type LiveService, startLiveService } from "../support/security/startLiveService.ts";

const api = "/api/v1/launchpad";
const site = "https://launch.example";
const listed = "https://app.example.com";
let service: LiveService;
let port: number;

beforeAll(async () => {
  service = await startLiveService();
  const { url } = await service.openServer({
    SITE_URL: site,
    AUTH_SECRET: "a secret of this test alone, 40 characters",
    CHAIN_ID: "46630",
    ALLOWED_ORIGINS: `${listed}/, HTTP://LocalHost:5173 ,https://\u00fcber.example`,
  });
  port = Number(new URL(url).port);
});
afterAll(() => service?.close());

async function send(method: string, path: string, lines: readonly string[], to = port): Promise<RawAnswer> {
  const head = [`${method} ${path} HTTP/1.1`, "Host: x", "Connection: close", ...lines];
  const text = await sendRaw(to, `${head.join("\r\n")}\r\n\r\n`);
  // A 204 and a 304 have no length, and the answer to a HEAD has no body.
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]);
  if (status !== 204 && status !== 304 && method !== "HEAD") return readAnswers(text)[0]!;
  const entries = text.trim().split("\r\n").slice(1);
  const headers = entries.map((line) => [
    line.slice(0, line.indexOf(":")).toLowerCase(),
    line.slice(line.indexOf(":") + 2),
  ]);
  return { status, headers: Object.fromEntries(headers), body: "" };
}

/** The CORS permissions of the answer: the origin that may read it, and whether cookies are allowed. */
const permission = ({ headers }: RawAnswer) => [
  headers["access-control-allow-origin"],
  headers["access-control-allow-credentials"],
  headers.vary,
];
const anybody = ["*", undefined, "Origin"];
const toPage = (origin: string) => [origin, "true", "Origin"];

const requests: [what: string, status: number, ask: (lines: readonly string[]) => Promise<RawAnswer>][] = [
  ["a public read", 200, (lines) => send("GET", `${api}/tokens`, lines)],
  ["a public read from memory", 200, (lines) => send("GET", `${api}/tokens`, lines)],
  ["the head of a public read", 200, (lines) => send("HEAD", `${api}/tokens`, lines)],
  ["a guarded read without a credential", 401, (lines) => send("GET", `${api}/intents`, lines)],
  ["a bad query", 400, (lines) => send("GET", `${api}/tokens?limit=0`, lines)],
  ["a path that cannot be decoded", 400, (lines) => send("GET", "/%zz", lines)],
  ["a credential in the URL", 400, (lines) => send("GET", `${api}/tokens?api_key=x`, lines)],
  ["an unknown path", 404, (lines) => send("GET", `${api}/nothing`, lines)],
  ["a token that is not indexed", 404, (lines) => send("GET", `${api}/tokens/0x${"ab".repeat(20)}`, lines)],
  ["a preflight", 204, (lines) => send("OPTIONS", `${api}/intents`, [...lines, "Access-Control-Request-Method: POST"])],
];

describe("C4-36 an answer to a page of a listed origin", () => {
  it.each([listed, site, "http://localhost:5173", "https://xn--ber-goa.example"])(
    "C4-36 names it and covers cookies, whatever the answer is: %s",
    async (origin) => {
      for (const [what, status, ask] of requests) {
        const answer = await ask([`Origin: ${origin}`]);
        expect([answer.status, ...permission(answer)], what).toEqual([status, ...toPage(origin)]);
      }
    },
  );
});

const lookAlikes: [string, string[]][] = [
  ["no origin", []],
  ["an empty one", ["Origin:"]],
  ["null", ["Origin: null"]],
  ["a wildcard", ["Origin: *"]],
  ["another origin", ["Origin: https://evil.example"]],
  ["a longer name", ["Origin: https://app.example.com.evil.example"]],
  ["a name that ends like it", ["Origin: https://evilapp.example.com"]],
  ["a host below it", ["Origin: https://a.app.example.com"]],
  ["the host above it", ["Origin: https://example.com"]],
  ["another scheme", ["Origin: http://app.example.com"]],
  ["another port", ["Origin: https://app.example.com:444"]],
  ["its port in full", ["Origin: https://app.example.com:443"]],
  ["a trailing slash", ["Origin: https://app.example.com/"]],
  ["a trailing dot", ["Origin: https://app.example.com."]],
  ["upper case", ["Origin: HTTPS://APP.EXAMPLE.COM"]],
  ["a Unicode name", ["Origin: https://\u00fcber.example"]],
  ["two in one line", [`Origin: ${listed}, https://evil.example`]],
  ["two with a space", [`Origin: ${listed} https://evil.example`]],
  ["it twice", [`Origin: ${listed}`, `Origin: ${listed}`]],
  ["it and another", [`Origin: ${listed}`, "Origin: https://evil.example"]],
  ["another and it", ["Origin: https://evil.example", `Origin: ${listed}`]],
  ["a header of a similar name", [`X-Origin: ${listed}`]],
];

describe("C4-36 an answer to any other page", () => {
  it.each(lookAlikes)("C4-36 is for pages without cookies: %s", async (_, lines) => {
    // Cached for a listed origin before.
    for (let turn = 0; turn < 2; turn++) await send("GET", `${api}/tokens`, [`Origin: ${listed}`]);
    for (const [what, status, ask] of requests) {
      const answer = await ask(lines);
      expect([answer.status, ...permission(answer)], what).toEqual([status, ...anybody]);
    }
  });

  it("C4-36 is not changed by a condition: a 304 is for the origin that asked", async () => {
    const { headers } = await send("GET", `${api}/tokens`, []);
    const condition = `If-None-Match: ${headers.etag}`;
    const own = await send("GET", `${api}/tokens`, [condition, `Origin: ${listed}`]);
    const other = await send("GET", `${api}/tokens`, [condition, "Origin: https://evil.example"]);
    expect([own.status, ...permission(own)]).toEqual([304, ...toPage(listed)]);
    expect([other.status, ...permission(other)]).toEqual([304, ...anybody]);
  });

  it("C4-36 can be read where no request was understood", async () => {
    const [answer] = readAnswers(await sendRaw(port, `GET / HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(20_000)}\r\n\r\n`));
    expect([answer!.status, ...permission(answer!).slice(0, 2)]).toEqual([431, "*", undefined]);
  });
});

describe("C4-36 a refusal that a page has to handle", () => {
  it("C4-36 says when to retry, readable by the page: 429 and 503", async () => {
    const { url } = await service.openServer({
      ALLOWED_ORIGINS: listed,
      CHAIN_ID: "46630",
      READ_LIMIT_PER_SECOND: "1",
      READ_LIMIT_BURST: "1",
    });
    const at = Number(new URL(url).port);
    const unavailable = await send("GET", `${api}/config?x`, [`Origin: ${listed}`], at);
    const limited = await send("GET", `${api}/tokens`, [`Origin: ${listed}`], at);
    expect([limited.status, ...permission(limited)]).toEqual([429, ...toPage(listed)]);
    expect(unavailable.headers["access-control-allow-origin"]).toBe(listed);
    for (const name of ["Retry-After", "RateLimit", "RateLimit-Policy", "X-Request-Id", "ETag"]) {
      expect(limited.headers["access-control-expose-headers"]!.split(", ")).toContain(name);
    }
    await service.db.indexer.query("update chain.status set state = 'halted'");
    try {
      const halted = await service.openServer({ ALLOWED_ORIGINS: listed });
      const refused = await send("GET", `${api}/stream`, [`Origin: ${listed}`], Number(new URL(halted.url).port));
      expect([refused.status, ...permission(refused)]).toEqual([503, ...toPage(listed)]);
    } finally {
      await service.db.indexer.query("update chain.status set state = 'live'");
    }
  });
});

describe("C4-36 a preflight", () => {
  const ask = async (path: string, origin = listed) =>
    await send("OPTIONS", path, [`Origin: ${origin}`, "Access-Control-Request-Method: GET"]);

  it("C4-36 allows the methods of its path, and the headers that the API reads", async () => {
    const { body } = await send("GET", `${api}/openapi.json`, []);
    const { document } = readOpenApi(JSON.parse(body));
    expect(Object.keys(document.paths).length).toBeGreaterThan(30);
    const patterns = Object.entries(document.paths).map(([path, operations]) => {
      const names = Object.keys(operations).map((name) => name.toUpperCase());
      const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`);
      return { pattern, methods: names.includes("GET") ? [...names, "HEAD"] : names };
    });
    for (const template of Object.keys(document.paths)) {
      const path = template.replace(/\{\w+\}/g, "1");
      // A path can match two templates: /openings/transactions is also /openings/{address}.
      const methods = patterns.filter(({ pattern }) => pattern.test(path)).flatMap((each) => each.methods);
      const { status, headers } = await ask(path);
      expect([status, headers["access-control-allow-methods"]!.split(", ").sort()], path).toEqual([
        204,
        [...new Set(methods)].sort(),
      ]);
      expect(headers["access-control-allow-headers"]).toBe(
        "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Payment-Signature",
      );
      expect(Number(headers["access-control-max-age"])).toBeGreaterThan(0);
      expect(headers["access-control-allow-credentials"]).toBe("true");
    }
  });

  it("C4-36 lets a page find out that a path is unknown", async () => {
    const { status, headers } = await ask(`${api}/nothing`);
    expect([status, headers["access-control-allow-methods"]]).toEqual([204, "GET, HEAD, POST, PUT, PATCH, DELETE"]);
  });

  it("C4-36 costs nothing of a limit and is not refused with a status that the browser would hide", async () => {
    const { url } = await service.openServer({ READ_LIMIT_PER_SECOND: "1", READ_LIMIT_BURST: "1" });
    const at = Number(new URL(url).port);
    for (let n = 0; n < 5; n++) {
      const lines = [`Origin: ${listed}`, "Access-Control-Request-Method: GET"];
      const { status, headers } = await send("OPTIONS", `${api}/tokens`, lines, at);
      // Without listed origins all answers are the same: there is no Vary.
      expect([status, headers["access-control-allow-origin"], headers.vary]).toEqual([204, "*", undefined]);
    }
  });
});
