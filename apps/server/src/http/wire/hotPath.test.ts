import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CachedResponse } from "../../cache/cachedResponse.ts";
import { Connections } from "./connections.ts";
import { createHttpServer } from "./createWire.ts";
import { createHotPath, type HotPath } from "./hotPath.ts";

let cached: Map<string, CachedResponse>;
let limitHeaders: readonly string[] | false;
const setLimit = (value: typeof limitHeaders) => {
  limitHeaders = value;
};
let responses: [string, number][];
let close: () => void;
let port: number;
let hot: HotPath;

const toResponse = (text: string, etag: string | null = `"${text}"`) => new CachedResponse(Buffer.from(text), etag);

beforeEach(async () => {
  cached = new Map([["k", toResponse("hello")]]);
  limitHeaders = [];
  responses = [];
  let ids = 0;
  hot = createHotPath({
    peek: (key) => cached.get(key),
    now: () => 0,
    createRequestId: () => `id-${++ids}`,
    consumeLimit: () => limitHeaders,
    createObserver: (route, status) => () => responses.push([route, status]),
  });
  hot.record("/a?b=c", {
    key: "k",
    route: "/a",
    headers: {
      "content-type": "application/json",
      "cache-control": "public, max-age=10",
      "x-request-id": "first",
      etag: '"first"',
      "content-length": "99",
      "x-frame-options": "DENY",
    },
  });
  const settings = { HEADERS_TIMEOUT_MS: 10_000, REQUEST_TIMEOUT_MS: 30_000, MAX_CONNECTIONS: 100 };
  const server = createHttpServer(
    settings,
    new Connections({ setBusy: () => undefined, setIdle: () => undefined }),
    hot,
    (_request, response) => {
      response.writeHead(299).end("framework");
    },
  ).listen(0);
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
  close = () => server.close();
});
afterEach(() => close());

async function request(path: string, headers: Record<string, string> = {}, method = "GET") {
  const sent = get({ port, path, headers, method });
  sent.end();
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  const body = (await answer.setEncoding("utf8").toArray()).join("");
  return { status: answer.statusCode, headers: answer.headers, body };
}

test("answers a recorded URL with the framework's headers and the current bytes", async () => {
  const first = await request("/a?b=c");
  expect([first.status, first.body]).toEqual([200, "hello"]);
  expect(first.headers).toMatchObject({
    "content-type": "application/json",
    "cache-control": "public, max-age=10",
    "x-frame-options": "DENY",
    etag: '"hello"',
    "content-length": "5",
    "x-request-id": "id-1",
  });
  cached.set("k", toResponse("other"));
  const second = await request("/a?b=c");
  expect([second.body, second.headers.etag, second.headers["x-request-id"]]).toEqual(["other", '"other"', "id-2"]);
  expect(responses).toEqual([
    ["/a", 200],
    ["/a", 200],
  ]);
});

test("answers 304 to a client that has the current bytes", async () => {
  const { status, body, headers } = await request("/a?b=c", { "if-none-match": '"hello"' });
  expect([status, body, headers.etag, headers["content-type"]]).toEqual([304, "", '"hello"', undefined]);
  expect(headers["cache-control"]).toBe("public, max-age=10");
});

const nothing = () => undefined;
const plain = () => request("/a?b=c");

test.each<[string, () => unknown, () => Promise<{ status?: number }>]>([
  ["another URL", nothing, () => request("/a?b=d")],
  ["another spelling of the URL", nothing, () => request("/a?b=%63")],
  ["another method", nothing, () => request("/a?b=c", {}, "HEAD")],
  ["another condition", nothing, () => request("/a?b=c", { "if-none-match": '"old"' })],
  ["a head that is refused", nothing, () => request("/a?b=c", { "content-encoding": "gzip" })],
  ["an ignored upgrade", nothing, () => request("/a?b=c", { connection: "upgrade", upgrade: "h2c" })],
  ["a response that is not fresh", () => cached.clear(), plain],
  ["a response that must not be cached", () => cached.set("k", toResponse("x", null)), plain],
  ["a request over the limit", () => setLimit(false), plain],
  ["a server that is closing", () => hot.stop(), plain],
])("leaves %s to the framework", async (_name, prepare, send) => {
  prepare();
  expect((await send()).status).toBe(299);
  expect(responses).toEqual([]);
});

test("C4-44 does not record a URL longer than any client needs, because callers choose URLs and all are stored", async () => {
  const [long, short] = [`/a?${"b".repeat(1_022)}`, `/a?${"b".repeat(1_021)}`];
  expect([long.length, short.length]).toEqual([1_025, 1_024]);
  for (const url of [long, short]) hot.record(url, { key: "k", route: "/a", headers: {} });
  expect([(await request(long)).status, (await request(short)).status]).toEqual([299, 200]);
});

test("adds the headers of the limit", async () => {
  limitHeaders = ["ratelimit", "limit=50, remaining=49, reset=1"];
  expect((await request("/a?b=c")).headers.ratelimit).toBe("limit=50, remaining=49, reset=1");
});
