import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiServer, type ApiServers, openApiServers } from "../support/security/openApiServers.ts";
import { openSocket, readAnswers, sendRaw, untilClosed } from "../support/security/rawHttp.ts";

let servers: ApiServers;
let server: ApiServer;

beforeAll(async () => {
  servers = await openApiServers();
  server = await servers.open({
    HEADERS_TIMEOUT_MS: "2000",
    REQUEST_TIMEOUT_MS: "4000",
    READ_LIMIT_BURST: "1000000",
    READ_LIMIT_PER_SECOND: "1000000",
    WRITE_LIMIT_BURST: "1000000",
    WRITE_LIMIT_PER_SECOND: "1000000",
  });
});
afterAll(() => servers?.close());

/** A second request, which a parser with another view of the first one's end would answer. */
const smuggled = "GET /healthz?smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
const intents = "POST /api/v1/launchpad/intents HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
const get = "GET /healthz HTTP/1.1\r\nHost: x\r\n";

/** Requests whose end or meaning two parsers could interpret differently. */
const ambiguous: Record<string, string> = {
  "a length and chunks": `${intents}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
  "chunks and a length": `${intents}Transfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n0\r\n\r\n${smuggled}`,
  "two different lengths": `${intents}Content-Length: 2\r\nContent-Length: 5\r\n\r\n{}${smuggled}`,
  "the same length twice": `${intents}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}${smuggled}`,
  "a list of lengths": `${intents}Content-Length: 2, 2\r\n\r\n{}${smuggled}`,
  "a signed length": `${intents}Content-Length: +2\r\n\r\n{}${smuggled}`,
  "a length in hex": `${intents}Content-Length: 0x2\r\n\r\n{}${smuggled}`,
  "a length beyond 64 bits": `${intents}Content-Length: 18446744073709551618\r\n\r\n{}${smuggled}`,
  "chunked that is not the last coding": `${intents}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${smuggled}`,
  "a coding that is only nearly chunked": `${intents}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${smuggled}`,
  "a chunk size that is no number": `${intents}Transfer-Encoding: chunked\r\n\r\n0x1\r\n{\r\n0\r\n\r\n${smuggled}`,
  "a blank before the colon": `${intents}Content-Length : 2\r\n\r\n{}${smuggled}`,
  "a folded header": `${get}X-Long: one\r\n two\r\n\r\n${smuggled}`,
  "a header that begins with a blank": `GET /healthz HTTP/1.1\r\n Host: x\r\n\r\n${smuggled}`,
  "a bare CR in a header": `${get}X-A: one\rX-B: two\r\n\r\n${smuggled}`,
  "a bare LF after a header": `${get}X-A: one\nX-B: two\r\n\r\n${smuggled}`,
  "a bare LF after the request line": `GET /healthz HTTP/1.1\nHost: x\n\n${smuggled}`,
  "a NUL in a header": `${get}X-A: one\0two\r\n\r\n${smuggled}`,
  "a header without a name": `${get}: nothing\r\n\r\n${smuggled}`,
  "a header without a colon": `${get}nothing\r\n\r\n${smuggled}`,
  "a method that is none": `${get.replace("GET", "G(T")}\r\n${smuggled}`,
  "another protocol": `GET /healthz HTTQ/1.1\r\nHost: x\r\n\r\n${smuggled}`,
  "a version that is none": `GET /healthz HTTP/1.x\r\nHost: x\r\n\r\n${smuggled}`,
  "no host": `GET /healthz HTTP/1.1\r\nX-A: b\r\n\r\n${smuggled}`,
  "a TLS greeting": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
};

describe("C4-11 a request that could be read in two ways", () => {
  it.each(Object.entries(ambiguous))("is refused with 400, alone, and the connection closed: %s", async (_, bytes) => {
    const answers = readAnswers(await sendRaw(server.port, bytes));
    expect(answers.map(({ status }) => status)).toEqual([400]);
    const { headers, body } = answers[0]!;
    expect(JSON.parse(body)).toMatchObject({ error: { code: "invalid_request", retryable: false } });
    expect(JSON.parse(body).error.request_id).toBe(headers["x-request-id"]);
    expect(headers).toMatchObject({
      connection: "close",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "content-security-policy": expect.stringContaining("default-src 'none'"),
    });
  });

  it("is refused also when its head was read before: a chunk longer than it says", async () => {
    const head = `${intents}Authorization: Bearer ${servers.apiKey}\r\nIdempotency-Key: two-readers\r\n`;
    const bytes = `${head}Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n${smuggled}`;
    expect(readAnswers(await sendRaw(server.port, bytes)).map(({ status }) => status)).toEqual([400]);
  });

  it("is 431 where its headers are too large, also as very many", async () => {
    const large = `${get}X-A: ${"a".repeat(20_000)}\r\n\r\n`;
    const many = get + Array.from({ length: 5_000 }, (_, n) => `x-${n}: 1\r\n`).join("");
    for (const bytes of [large, many, `GET /${"a".repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`]) {
      const answers = readAnswers(await sendRaw(server.port, bytes));
      expect(answers.map(({ status }) => status)).toEqual([431]);
      expect(JSON.parse(answers[0]!.body).error.code).toBe("headers_too_large");
    }
  });

  it("has its body read as a body, whatever stands in it", async () => {
    const inner = `${get}Connection: close\r\n\r\n`;
    const bytes = `GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: ${inner.length}\r\nConnection: close\r\n\r\n${inner}`;
    expect(readAnswers(await sendRaw(server.port, bytes)).map(({ status }) => status)).toEqual([200]);
  });
});

/** Sends one byte after the other, as long as the other side listens. */
async function drip(port: number, head: string, rest: string): Promise<string> {
  const socket = await openSocket(port);
  const answer = untilClosed(socket);
  socket.write(head);
  for (let i = 0; !socket.closed; i++) {
    socket.write(rest[i % rest.length]!);
    await delay(50);
  }
  return await answer;
}

/** Whether other clients are served meanwhile: their slowest answer must not wait for a slow client. */
async function othersAreServed(until: Promise<unknown>): Promise<number> {
  let isOver = false;
  const over = until.finally(() => {
    isOver = true;
  });
  let served = 0;
  while (!isOver) {
    const response = await fetch(`${server.site}/healthz`);
    expect(response.status).toBe(200);
    await response.arrayBuffer();
    served++;
    await delay(20);
  }
  await over;
  return served;
}

describe.concurrent("C4-11 a slow client", () => {
  it("that drips its headers is answered 408 and closed, and others are served meanwhile", async () => {
    const slow = Promise.all(Array.from({ length: 50 }, () => drip(server.port, get, "X-A: aaaaaaaa\r\n")));
    expect(await othersAreServed(slow)).toBeGreaterThan(3);
    for (const text of await slow) {
      const [answer] = readAnswers(text);
      expect([answer?.status, JSON.parse(answer!.body).error.code]).toEqual([408, "request_timeout"]);
    }
  });

  it("that drips its body is answered 408 and closed", async () => {
    const head = `${intents}Authorization: Bearer ${servers.apiKey}\r\nIdempotency-Key: slow-client\r\nContent-Length: 60000\r\n\r\n`;
    const [answer] = readAnswers(await drip(server.port, head, '{"name":"aaaaaaaa'));
    expect(answer?.status).toBe(408);
  });

  it("that drips chunks without end is cut off", async () => {
    const head = `${intents}Authorization: Bearer ${servers.apiKey}\r\nIdempotency-Key: slow-client\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const [answer] = readAnswers(await drip(server.port, head, "1\r\n \r\n"));
    expect(answer?.status).toBe(408);
  });

  it("that says nothing at all is cut off", async () => {
    const sockets = await Promise.all(Array.from({ length: 20 }, () => openSocket(server.port)));
    const answers = await Promise.all(sockets.map(untilClosed));
    for (const text of answers) expect(readAnswers(text).map(({ status }) => status)).toEqual([408]);
  });

  it("that goes away half-way leaves nothing behind", async () => {
    for (let n = 0; n < 20; n++) {
      const socket = await openSocket(server.port);
      socket.write(`${intents}Content-Length: 500\r\n\r\n{"name":`);
      socket.resetAndDestroy();
    }
    const response = await fetch(`${server.site}/metrics`);
    expect(response.status).toBe(200);
    expect(server.output()).not.toMatch(/"level":(50|60)/);
  });
});
