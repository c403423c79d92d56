import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CachedResponse } from "../../cache/cachedResponse.ts";
import { Connections } from "./connections.ts";
import { createHttpServer } from "./createWire.ts";
import { createHotPath } from "./hotPath.ts";

const body = "hello";
const big = "b".repeat(5 * 2 ** 20);
let server: Server;
let sockets: Socket[];
let limitHeaders: readonly string[];
/** Ends the delayed responses of the framework. */
let release: () => void;

beforeEach(async () => {
  sockets = [];
  limitHeaders = [];
  const waiting: (() => void)[] = [];
  release = () => {
    for (const end of waiting) end();
  };
  const cached = new Map([
    ["small", new CachedResponse(Buffer.from(body), '"small"')],
    ["big", new CachedResponse(Buffer.from(big), '"big"')],
  ]);
  let ids = 0;
  const hot = createHotPath({
    peek: (key) => cached.get(key),
    now: () => 0,
    createRequestId: () => `id-${++ids}`,
    consumeLimit: () => limitHeaders,
    createObserver: () => () => undefined,
  });
  for (const key of cached.keys()) {
    const headers = { "content-type": "text/plain", "x-frame-options": "DENY" };
    hot.record(`/${key}`, { key, route: key, headers });
  }
  const settings = { HEADERS_TIMEOUT_MS: 10_000, REQUEST_TIMEOUT_MS: 30_000, MAX_CONNECTIONS: 100 };
  server = createHttpServer(
    settings,
    new Connections({ setBusy: () => undefined, setIdle: () => undefined }),
    hot,
    (request, response) => {
      if (request.url === "/slow") waiting.push(() => response.end("slow"));
      else response.writeHead(299, { "content-length": 9 }).end("framework");
    },
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  server.close();
  await once(server, "close");
});

type Answer = { status: number; head: string; headers: Record<string, string>; body: string };

/** Opens a connection that collects its received bytes; `answers` waits for a number of complete responses to GETs. */
async function open() {
  const socket = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1" });
  sockets.push(socket);
  await once(socket, "connect");
  let text = "";
  let ended = false;
  socket.setEncoding("latin1").on("data", (chunk) => {
    text += String(chunk);
  });
  socket.on("end", () => {
    ended = true;
  });
  return {
    socket,
    send: (...lines: string[]) => socket.write(`${lines.join("\r\n")}\r\nhost: x\r\n\r\n`),
    text: () => text,
    ended: () => ended,
    answers: async (count: number): Promise<Answer[]> =>
      await vi.waitFor(() => {
        const answers = parse(text);
        if (answers.length < count) throw new Error(`${answers.length} of ${count} answers: ${text.slice(0, 300)}`);
        return answers;
      }, 60_000),
  };
}

/** The complete responses in a text, split by their content-length. */
function parse(text: string): Answer[] {
  const answers: Answer[] = [];
  for (let at = 0; ; ) {
    const end = text.indexOf("\r\n\r\n", at);
    if (end === -1) return answers;
    const head = text.slice(at, end);
    const [first, ...lines] = head.split("\r\n");
    const headers = Object.fromEntries(lines.map((line) => line.toLowerCase().split(/: (.*)/s)));
    const status = Number(first!.split(" ")[1]);
    const length = Number(headers["content-length"] ?? 0);
    if (text.length < end + 4 + length) return answers;
    answers.push({ status, head, headers, body: text.slice(end + 4, end + 4 + length) });
    at = end + 4 + length;
  }
}

describe("the hot path over one connection", () => {
  test("sends the same headers in every response except for request id and date", async () => {
    const { send, answers } = await open();
    for (let n = 1; n <= 4; n++) {
      send("GET /small HTTP/1.1");
      await answers(n);
    }
    const [first, ...others] = await answers(4);
    const plain = (answer: Answer) => answer.head.replace(/id-\d+/, "id").replace(/Date: .{29}/, "Date");
    for (const [index, answer] of others.entries()) {
      expect(plain(answer)).toBe(plain(first!));
      expect(answer.headers["x-request-id"]).toBe(`id-${index + 2}`);
      expect(Math.abs(Date.parse(answer.headers.date!) - Date.now())).toBeLessThan(60_000);
      expect(answer.headers.connection).toBe("keep-alive");
      expect([answer.status, answer.body]).toEqual([200, body]);
    }
  });

  test("answers pipelined requests in order, even after a slow response of the framework", async () => {
    const { send, answers, text } = await open();
    send("GET /small HTTP/1.1");
    await answers(1);
    const lines = "host: x\r\n\r\n";
    send(
      `GET /slow HTTP/1.1\r\n${lines}GET /small HTTP/1.1\r\n${lines}GET /other HTTP/1.1\r\n${lines}GET /small HTTP/1.1`,
    );
    // The server has read all four when another connection's request, sent after them, is answered.
    const other = await open();
    other.send("GET /small HTTP/1.1");
    await other.answers(1);
    expect(parse(text())).toHaveLength(1);
    await vi.waitFor(() => {
      release();
      expect(text().match(/hello/g)).toHaveLength(3);
    }, 60_000);
    const order = [...text().matchAll(/slow|framework|hello/g)].map(([match]) => match);
    expect(order).toEqual(["hello", "slow", "hello", "framework", "hello"]);
  });

  test("adds the headers of the limit to their response only", async () => {
    const { send, answers } = await open();
    for (const [n, added] of [["ratelimit", "r=50"], [], ["ratelimit", "r=48", "x-more", "y"], []].entries()) {
      limitHeaders = added;
      send("GET /small HTTP/1.1");
      await answers(n + 1);
    }
    const seen = (await answers(4)).map(({ headers }) => [headers.ratelimit, headers["x-more"]]);
    const none = undefined;
    expect(seen).toEqual([
      ["r=50", none],
      [none, none],
      ["r=48", "y"],
      [none, none],
    ]);
  });

  test("sends a whole response to a slow reader, and serves its next request", async () => {
    const { send, answers, socket } = await open();
    send("GET /small HTTP/1.1");
    await answers(1);
    for (let n = 0; n < 3; n++) {
      socket.pause();
      send("GET /big HTTP/1.1");
      const other = await open();
      other.send("GET /small HTTP/1.1");
      await other.answers(1);
      socket.resume();
      const all = await answers(n + 2);
      expect(all.at(-1)!.body === big).toBe(true);
    }
  });

  test("leaves HEAD to the framework, and answers 304 between two whole responses", async () => {
    const { send, answers } = await open();
    send("GET /small HTTP/1.1");
    send("GET /small HTTP/1.1", 'if-none-match: "small"');
    send("GET /small HTTP/1.1");
    const all = await answers(3);
    expect(all.map(({ status, body: sent }) => [status, sent])).toEqual([
      [200, body],
      [304, ""],
      [200, body],
    ]);
    const head = await open();
    head.send("HEAD /small HTTP/1.1");
    await vi.waitFor(() => expect(head.text()).toMatch(/^HTTP\/1\.1 299 [\s\S]*\r\n\r\n$/), 60_000);
  });

  test("skips an unexpected request body", async () => {
    const { socket, send, answers } = await open();
    for (let n = 1; n <= 2; n++) {
      socket.write("GET /small HTTP/1.1\r\nhost: x\r\ncontent-length: 17\r\n\r\nGET /x HTTP/1.1\r\n");
      send("GET /small HTTP/1.1");
    }
    const all = await answers(4);
    expect(all.map(({ status, body: sent }) => [status, sent])).toEqual(Array(4).fill([200, body]));
  });

  test("sends 100 first to a client that expects it", async () => {
    const { send, text } = await open();
    for (let n = 1; n <= 2; n++) {
      send("GET /small HTTP/1.1", "expect: 100-continue");
      await vi.waitFor(() => expect(text().match(/hello/g)).toHaveLength(n), 60_000);
    }
    expect([...text().matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status)).toEqual(["100", "200", "100", "200"]);
  });
});

describe("the hot path and a connection", () => {
  // The headers of the URL are cached.
  beforeEach(async () => {
    const { send, answers } = await open();
    send("GET /small HTTP/1.1");
    send("GET /small HTTP/1.1");
    await answers(2);
  });

  test.each<[string, string[], string, boolean]>([
    ["that the request closes", ["GET /small HTTP/1.1", "connection: close"], "close", true],
    ["of HTTP/1.0 without keep-alive", ["GET /small HTTP/1.0"], "close", true],
    ["of HTTP/1.0 with keep-alive", ["GET /small HTTP/1.0", "connection: keep-alive"], "keep-alive", false],
  ])("%s", async (_name, lines, expected, closes) => {
    const { send, answers, ended } = await open();
    send(...lines);
    const [answer] = await answers(1);
    expect([answer!.status, answer!.body, answer!.headers.connection]).toEqual([200, body, expected]);
    if (closes) await vi.waitFor(() => expect(ended()).toBe(true), 60_000);
    else {
      send(...lines);
      await answers(2);
      expect(ended()).toBe(false);
    }
  });

  test("that its client destroyed is released, and other connections are served", async () => {
    const gone = await open();
    gone.socket.pause();
    for (let n = 0; n < 5; n++) gone.send("GET /big HTTP/1.1");
    gone.socket.destroy();
    const { send, answers } = await open();
    send("GET /big HTTP/1.1");
    expect((await answers(1))[0]!.body === big).toBe(true);
    for (const socket of sockets) socket.destroy();
    await vi.waitFor(async () => {
      const open = await new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
      expect(open).toBe(0);
    }, 60_000);
  });
});
