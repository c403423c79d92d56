import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import { ReadyAnswer } from "../cache/cachedResponse.ts";
import { createHotPath } from "./mountHotPath.ts";
import { afterEach, beforeEach, expect, test } from "vitest";

let kept: Map<string, ReadyAnswer>;
let admitted: readonly string[] | false;
const admit = (value: typeof admitted) => {
  admitted = value;
};
let seen: [string, number][];
let close: () => void;
let port: number;
let hot: ReturnType<typeof createHotPath>;

const ready = (text: string, etag: string | null = `"${text}"`) => new ReadyAnswer(Buffer.from(text), etag);

beforeEach(async () => {
  kept = new Map([["k", ready("hello")]]);
  admitted = [];
  seen = [];
  let ids = 0;
  hot = createHotPath({
    peek: (key) => kept.get(key),
    now: () => 0,
    requestId: () => `id-${++ids}`,
    admit: () => admitted,
    answered: (route, status) => seen.push([route, status]),
  });
  hot.remember("/a?b=c", {
    key: "k",
    route: "/a",
    headers: {
      ...{ "content-type": "application/json", "cache-control": "public, max-age=10", "x-request-id": "first" },
      ...{ etag: '"first"', "content-length": "99", "x-frame-options": "DENY" },
    },
  });
  const server = createServer((request, response) => {
    if (!hot.serve(request, response)) response.writeHead(299).end("framework");
  }).listen(0);
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
  close = () => server.close();
});
afterEach(() => close());

async function ask(path: string, headers: Record<string, string> = {}, method = "GET") {
  const request = get({ port, path, headers, method });
  request.end();
  const [answer] = (await once(request, "response")) as [IncomingMessage];
  const body = (await answer.setEncoding("utf8").toArray()).join("");
  return { status: answer.statusCode, headers: answer.headers, body };
}

test("answers a known URL with the framework's headers and the bytes of now", async () => {
  const first = await ask("/a?b=c");
  expect([first.status, first.body]).toEqual([200, "hello"]);
  expect(first.headers).toMatchObject({
    ...{ "content-type": "application/json", "cache-control": "public, max-age=10", "x-frame-options": "DENY" },
    ...{ etag: '"hello"', "content-length": "5", "x-request-id": "id-1" },
  });
  kept.set("k", ready("other"));
  const second = await ask("/a?b=c");
  expect([second.body, second.headers.etag, second.headers["x-request-id"]]).toEqual(["other", '"other"', "id-2"]);
  expect(seen).toEqual([
    ["/a", 200],
    ["/a", 200],
  ]);
});

test("answers 304 to who has the bytes of now", async () => {
  const { status, body, headers } = await ask("/a?b=c", { "if-none-match": '"hello"' });
  expect([status, body, headers.etag, headers["content-type"]]).toEqual([304, "", '"hello"', undefined]);
  expect(headers["cache-control"]).toBe("public, max-age=10");
});

const nothing = () => undefined;
const plain = () => ask("/a?b=c");

test.each<[string, () => unknown, () => Promise<{ status?: number }>]>([
  ["another URL", nothing, () => ask("/a?b=d")],
  ["another spelling of it", nothing, () => ask("/a?b=%63")],
  ["another method", nothing, () => ask("/a?b=c", {}, "HEAD")],
  ["another condition", nothing, () => ask("/a?b=c", { "if-none-match": '"old"' })],
  ["an answer that is not fresh", () => kept.clear(), plain],
  ["an answer that must not be cached", () => kept.set("k", ready("x", null)), plain],
  ["a caller that is not admitted", () => admit(false), plain],
  ["a server that is closing", () => hot.clear(), plain],
])("leaves %s to the framework", async (_name, prepare, asked) => {
  prepare();
  expect((await asked()).status).toBe(299);
  expect(seen).toEqual([]);
});

test("adds the headers of the admission", async () => {
  admitted = ["ratelimit", "limit=50, remaining=49, reset=1"];
  expect((await ask("/a?b=c")).headers.ratelimit).toBe("limit=50, remaining=49, reset=1");
});
