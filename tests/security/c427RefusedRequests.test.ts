import { errorBody } from "@slipway/protocol/errorBody";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type ApiServer, type ApiServers, openApiServers } from "../support/security/openApiServers.ts";
import { openSocket, type RawAnswer, readAnswers, sendRaw, untilClosed } from "../support/security/rawHttp.ts";

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

const api = "/api/v1/launchpad";
const host = "Host: x\r\n";
const close = "Connection: close\r\n";
/** A request that must not be answered after a request whose end is ambiguous. */
const next = `GET /healthz HTTP/1.1\r\n${host}${close}\r\n`;
const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n";
const handshake = `${upgrade}Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n`;
const get = (path: string, headers = "") => `GET ${path} HTTP/1.1\r\n${host}${close}${headers}\r\n`;

let keys = 0;
/** A draft that is stored, unless the headers prevent it. */
function post(headers: string, body = draft): string {
  const own = `Authorization: Bearer ${servers.apiKey}\r\nIdempotency-Key: refused-request-${++keys}\r\n`;
  return `POST ${api}/intents HTTP/1.1\r\n${host}${own}Content-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;
}
const draft = JSON.stringify({ name: "Kite", symbol: "KITE", image_uri: "ipfs://bafy", chain_id: 46630 });
const json = "Content-Type: application/json\r\n";

const ask = async (bytes: string) => readAnswers(await sendRaw(server.port, bytes));

/** Checks that an answer is the Error of this code, with the headers that every answer has. */
function expectError({ status, headers, body }: RawAnswer, expected: readonly [status: number, code: string]): void {
  const { error } = errorBody.parse(JSON.parse(body));
  expect([status, error.code]).toEqual(expected);
  expect(error.request_id).toBe(headers["x-request-id"]);
  expect(headers).toMatchObject({
    "cache-control": "no-store",
    "content-type": "application/json; charset=utf-8",
    "x-content-type-options": "nosniff",
    "content-security-policy": expect.stringContaining("default-src 'none'"),
  });
}

/** Checks that the answer to the first request is this Error, and that nothing follows it. */
async function expectRefusedAlone(bytes: string, status: number, code: string): Promise<RawAnswer> {
  const answers = await ask(`${bytes}${next}`);
  expect(answers.map((answer) => answer.status)).toEqual([status]);
  expectError(answers[0]!, [status, code]);
  expect(answers[0]!.headers.connection?.toLowerCase()).toContain("close");
  return answers[0]!;
}

describe("C4-27 a request that no route answers", () => {
  it.each<[string, string, number, string]>([
    ["without a Host", "GET /healthz HTTP/1.1\r\n\r\n", 400, "invalid_request"],
    ["of version 0.9", "GET /healthz\r\n\r\n", 400, "invalid_request"],
    ["of version 0.9, by name", `GET /healthz HTTP/0.9\r\n${host}\r\n`, 400, "invalid_request"],
    ["of version 2.0", `GET /healthz HTTP/2.0\r\n${host}\r\n`, 400, "invalid_request"],
    ["with HTTP/2's preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "invalid_request"],
    ["with an unknown expectation", `GET /healthz HTTP/1.1\r\n${host}Expect: tea\r\n\r\n`, 417, "expectation_failed"],
    [
      "with an expectation beside the known one",
      `GET /healthz HTTP/1.1\r\n${host}Expect: 100-continue, tea\r\n\r\n`,
      417,
      "expectation_failed",
    ],
    ["with CONNECT", `CONNECT example.com:443 HTTP/1.1\r\n${host}\r\n`, 405, "method_not_allowed"],
    [
      "with a chunk extension of 20 kB",
      `POST ${api}/intents HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n1;a=${"b".repeat(20_000)}\r\n{\r\n0\r\n\r\n`,
      413,
      "body_too_large",
    ],
    [
      "with headers of 20 kB",
      `GET /healthz HTTP/1.1\r\n${host}X-A: ${"b".repeat(20_000)}\r\n\r\n`,
      431,
      "headers_too_large",
    ],
  ])("is refused with an Error, alone, and the connection closed: %s", async (_, bytes, status, code) => {
    for (const behind of [next, ""]) {
      const text = await sendRaw(server.port, `${bytes}${behind}`);
      const [answer, ...others] = readAnswers(text.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, ""));
      expect(others).toEqual([]);
      expectError(answer!, [status, code]);
      expect(answer!.headers.connection).toBe("close");
    }
  });

  it("is refused with an Error when it ends in the middle of its head", async () => {
    const socket = await openSocket(server.port);
    const text = untilClosed(socket);
    socket.end("GET /heal");
    expectError(readAnswers(await text)[0]!, [400, "invalid_request"]);
  });

  it("is refused with an Error when its head does not come to an end in time", async () => {
    const socket = await openSocket(server.port);
    const text = untilClosed(socket);
    socket.write("GET /heal");
    expectError(readAnswers(await text)[0]!, [408, "request_timeout"]);
  });

  it.each([
    ["an unknown path", () => get("/nothing"), 404, "not_found"],
    [
      "an unknown path with a body that is no JSON",
      () => post(`${close}${json}`, "{").replace("/intents", "/x"),
      404,
      "not_found",
    ],
    [
      "an unknown path with 70 kB",
      () => post(`${close}${json}`, " ".repeat(70_000)).replace("/intents", "/x"),
      404,
      "not_found",
    ],
    ["a path below the documentation", () => get("/docs/nothing"), 404, "not_found"],
    ["a path with a broken encoding", () => get("/%zz"), 400, "invalid_request"],
    ["a path that is no UTF-8", () => get(`${api}/tokens/%ff`), 400, "invalid_request"],
    ["a star", () => get("*"), 404, "not_found"],
    ["another scheme", () => get("ftp://x/healthz"), 404, "not_found"],
  ] as const)("is refused with an Error and the headers of every answer: %s", async (_, bytes, status, code) => {
    const answers = await ask(bytes());
    expect(answers).toHaveLength(1);
    expectError(answers[0]!, [status, code]);
  });
});

describe("C4-28 a method that a path does not have", () => {
  it.each([
    ["PUT", "/healthz", "GET, HEAD, OPTIONS"],
    ["POST", "/healthz", "GET, HEAD, OPTIONS"],
    ["TRACE", "/healthz?x=1", "GET, HEAD, OPTIONS"],
    ["PROPFIND", `${api}/intents`, "GET, HEAD, POST, OPTIONS"],
    ["QUERY", `${api}/tokens/0x12/trades`, "GET, HEAD, OPTIONS"],
    ["GET", `${api}/trade/quote`, "POST, OPTIONS"],
    ["HEAD", `${api}/trade/quote`, "POST, OPTIONS"],
    ["PATCH", `${api}/intents/7`, "GET, HEAD, DELETE, OPTIONS"],
    ["DELETE", "/ws", "GET, HEAD, OPTIONS"],
    ["POST", `${api}/openapi.json`, "GET, HEAD, OPTIONS"],
    ["PUT", "http://x/healthz", "GET, HEAD, OPTIONS"],
  ])("is refused with 405 and the methods that it has: %s %s", async (method, path, allow) => {
    // An answer to HEAD has no body.
    const text = await sendRaw(server.port, `${method} ${path} HTTP/1.1\r\n${host}${close}\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 405 /);
    expect(text).toContain(`\r\nallow: ${allow}\r\n`);
    if (method === "HEAD") return;
    const [answer] = readAnswers(text);
    expectError(answer!, [405, "method_not_allowed"]);
    expect(errorBody.parse(JSON.parse(answer!.body)).error.details).toEqual({ allow: allow.split(", ") });
  });

  it("is refused before its body is read", async () => {
    const bytes = post(`${close}${json}`, "{").replace("POST", "PUT");
    expectError((await ask(bytes))[0]!, [405, "method_not_allowed"]);
  });

  it("is not OPTIONS, which answers with the methods of a path", async () => {
    for (const [path, allow] of [
      ["/healthz", "GET, HEAD, OPTIONS"],
      [`${api}/intents`, "GET, HEAD, POST, OPTIONS"],
      ["/ws", "GET, HEAD, OPTIONS"],
      ["*", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"],
    ] as const) {
      const [answer] = await ask(`OPTIONS ${path} HTTP/1.1\r\n${host}${close}\r\n`);
      expect([answer?.status, answer?.headers.allow, answer?.headers["cache-control"]]).toEqual([
        204,
        allow,
        "no-store",
      ]);
    }
    const withOrigin = "Origin: https://elsewhere.example\r\n";
    const [unknown] = await ask(`OPTIONS /nothing HTTP/1.1\r\n${host}${close}${withOrigin}\r\n`);
    expectError(unknown!, [404, "not_found"]);
  });

  it("is not that of a preflight, which is answered for a page", async () => {
    const wanted = "Origin: https://elsewhere.example\r\nAccess-Control-Request-Method: POST\r\n";
    const [answer] = await ask(`OPTIONS ${api}/intents HTTP/1.1\r\n${host}${close}${wanted}\r\n`);
    expect(answer?.status).toBe(204);
    expect(answer?.headers["access-control-allow-methods"]).toContain("POST");
  });

  it("is CONNECT for every target, and its answer comes after those of earlier requests", async () => {
    const connect = `CONNECT example.com:443 HTTP/1.1\r\n${host}\r\n`;
    const answers = await ask(`GET /readyz HTTP/1.1\r\n${host}\r\n${connect}`);
    expect(answers).toHaveLength(2);
    expect(answers[0]!.body).toContain('"checks"');
    expectError(answers[1]!, [405, "method_not_allowed"]);
    expect(answers[1]!.headers.allow).toBe("");
  });
});

describe("C4-30 a head that two readers could read differently", () => {
  it.each([
    ["two hosts", () => `GET /healthz HTTP/1.1\r\n${host}Host: y\r\n\r\n`],
    ["the same host twice", () => `GET /healthz HTTP/1.1\r\n${host}${host}\r\n`],
    ["two hosts in HTTP/1.0", () => `GET /healthz HTTP/1.0\r\n${host}hOST: y\r\nConnection: keep-alive\r\n\r\n`],
    ["a host with a path", () => "GET /healthz HTTP/1.1\r\nHost: x/healthz\r\n\r\n"],
    ["a host with userinfo", () => "GET /healthz HTTP/1.1\r\nHost: a@x\r\n\r\n"],
    ["a list of hosts", () => "GET /healthz HTTP/1.1\r\nHost: x y\r\n\r\n"],
    ["two credentials", () => post(`${json}Authorization: Bearer other-credential\r\n`)],
    ["the same credential twice", () => post(`${json}Authorization: Bearer ${servers.apiKey}\r\n`)],
    [
      "two credentials on a public read",
      () => `GET /healthz HTTP/1.1\r\n${host}Authorization: a\r\nauthorization: b\r\n\r\n`,
    ],
    ["two content types", () => post(`${json}Content-Type: text/plain\r\n`)],
    ["two idempotency keys", () => post(`${json}Idempotency-Key: another-key\r\n`)],
    [
      "chunks in HTTP/1.0",
      () =>
        `POST ${api}/intents HTTP/1.0\r\n${host}Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      "a coding below the chunks",
      () => `POST ${api}/intents HTTP/1.1\r\n${host}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    ],
  ])("is refused with 400, alone, and the connection closed: %s", async (_, bytes) => {
    await expectRefusedAlone(bytes(), 400, "invalid_request");
  });

  it.each([
    ["two hosts", `HTTP/1.1\r\n${host}Host: y\r\n`, 400, "invalid_request"],
    ["no host", "HTTP/1.1\r\n", 400, "invalid_request"],
    ["another version", `HTTP/2.0\r\n${host}`, 400, "invalid_request"],
    ["an expectation", `HTTP/1.1\r\n${host}Expect: other\r\n`, 417, "expectation_failed"],
  ])("is refused in the preflight of a page: %s", async (_, head, status, code) => {
    const wanted = "Origin: https://elsewhere.example\r\nAccess-Control-Request-Method: POST\r\n";
    const answer = await expectRefusedAlone(`OPTIONS ${api}/intents ${head}${wanted}\r\n`, status, code);
    expect(answer.headers["access-control-allow-origin"]).toBe("*");
  });

  it("is the last one of its connection where its path cannot be read and its Upgrade is ignored", async () => {
    await expectRefusedAlone(
      `GET /%zz HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`,
      400,
      "invalid_request",
    );
  });

  it("is refused in a WebSocket handshake", async () => {
    const credential = `Authorization: Bearer ${servers.apiKey}\r\n`;
    for (const headers of [`${credential}${credential}`, `${host}${credential}`]) {
      await expectRefusedAlone(`GET /ws HTTP/1.1\r\n${host}${handshake}${headers}\r\n`, 400, "invalid_request");
    }
    await expectRefusedAlone(`GET /ws HTTP/1.1\r\n${handshake}${credential}\r\n`, 400, "invalid_request");
  });

  it("is not an Upgrade to another protocol; yet what follows it is no request, since the parser drops its beginning", async () => {
    for (const path of ["/healthz", "/readyz"]) {
      const socket = await openSocket(server.port);
      const text = untilClosed(socket);
      const body = post(json, draft.replace("Kite", "Smuggled"));
      const ignored = `GET ${path} HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`;
      // A proxy sends the head of another request at once, and later its body, which the proxy's client chooses.
      socket.write(`${ignored}POST /healthz HTTP/1.1\r\n${host}Content-Length: ${body.length}\r\n\r\n`);
      if (path === "/healthz") await vi.waitUntil(() => socket.bytesRead > 0, { timeout: 60_000, interval: 5 });
      else await sendRaw(server.port, next);
      socket.write(body);
      // A request that is read before the answer is sent ends the connection at once.
      const answers = readAnswers(await text).map(({ headers }) => headers.connection);
      expect([[], ["close"]]).toContainEqual(answers);
    }
    const [drafts] = await ask(get(`${api}/intents`, `Authorization: Bearer ${servers.apiKey}\r\n`));
    expect(drafts?.body).toContain("items");
    expect(drafts?.body).not.toContain("Smuggled");
  });

  it("is not every unusual one: any valid host, a known expectation, several cookies and forwarded addresses", async () => {
    for (const value of ["", "localhost:1", "[::1]:8080", "192.0.2.1", "a_b.example", "xn--bcher-kva.example:80"]) {
      const bytes = `GET /healthz HTTP/1.1\r\nHost: ${value}\r\n${close}Cookie: a=b\r\nCookie: c=d\r\nX-Forwarded-For: 192.0.2.1\r\nX-Forwarded-For: 192.0.2.2\r\n\r\n`;
      expect((await ask(bytes)).map(({ status }) => status)).toEqual([200]);
    }
    expect((await ask("GET /healthz HTTP/1.0\r\nExpect: tea\r\n\r\n")).map(({ status }) => status)).toEqual([200]);
    const answers = await ask(post(`${close}${json}Expect: 100-Continue\r\n`));
    expect(answers.map(({ status }) => status)).toEqual([100, 201]);
  });
});

describe("C4-31 a body in another coding than UTF-8 as it is", () => {
  it.each([
    ["compressed", "Content-Encoding: gzip\r\n"],
    ["compressed twice", "Content-Encoding: gzip\r\nContent-Encoding: br\r\n"],
    ["called not compressed", "Content-Encoding: identity\r\n"],
  ])("is refused with 415 and what is accepted: %s", async (_, headers) => {
    for (const bytes of [post(`${close}${json}${headers}`), get("/healthz", headers)]) {
      const [answer, ...others] = await ask(bytes);
      expect(others).toEqual([]);
      expectError(answer!, [415, "unsupported_encoding"]);
      expect(answer!.headers["accept-encoding"]).toBe("identity");
    }
  });

  it.each([
    "application/json; charset=utf-16",
    "application/json; charset=iso-8859-1",
    'application/json; charset="UTF-16LE"',
    "application/json;charset=us-ascii",
    "application/json; charset=utf-8; charset=utf-16",
    "application/json; CHARSET = utf-32",
    "application/json; charset=",
    "text/plain; charset=utf-7",
  ])("is refused with 415: %s", async (type) => {
    const answers = await ask(post(`${close}Content-Type: ${type}\r\n`));
    expectError(answers[0]!, [415, "unsupported_encoding"]);
  });

  it.each(["application/json", "application/json; charset=utf-8", 'application/json; Charset="UTF-8"'])(
    "is not that of %s",
    async (type) => {
      expect((await ask(post(`${close}Content-Type: ${type}\r\n`))).map(({ status }) => status)).toEqual([201]);
    },
  );

  it("leaves the connection usable, since its end is certain", async () => {
    const answers = await ask(`${post(`${json}Content-Encoding: gzip\r\n`)}${next}`);
    expect(answers.map(({ status }) => status)).toEqual([415, 200]);
  });
});

describe("C4-32 a path for WebSockets", () => {
  it.each([
    ["without an Upgrade", get("/ws")],
    ["with another Upgrade", `GET /ws HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`],
    ["with an Upgrade that is not announced", get("/ws", "Upgrade: websocket\r\n")],
    ["in HTTP/1.0", `GET /ws HTTP/1.0\r\n${host}${handshake}\r\n`],
    ["with a version that is not spoken", `GET /ws HTTP/1.1\r\n${host}${handshake.replace("13", "8")}\r\n`],
    ["without a version", `GET /ws HTTP/1.1\r\n${host}${upgrade}\r\n`],
  ])("answers 426 with what it speaks: %s", async (_, bytes) => {
    const { headers } = await expectRefusedAlone(bytes, 426, "upgrade_required");
    expect([headers.upgrade, headers["sec-websocket-version"]]).toEqual(["websocket", "13"]);
    expect(headers.connection?.toLowerCase()).toContain("upgrade");
  });

  it("refuses a handshake with another method with 405", async () => {
    const [answer] = await ask(`POST /ws HTTP/1.1\r\n${host}${close}Upgrade: websocket\r\n\r\n`);
    expectError(answer!, [405, "method_not_allowed"]);
    const [upgraded] = await ask(`POST /ws HTTP/1.1\r\n${host}Content-Length: 0\r\n${handshake}\r\n${next}`);
    expectError(upgraded!, [405, "method_not_allowed"]);
  });

  it("refuses a handshake without a key after its credential, with an Error", async () => {
    await expectRefusedAlone(`GET /ws HTTP/1.1\r\n${host}${handshake}\r\n`, 401, "unauthorized");
    await expectRefusedAlone(`GET /ws/nothing HTTP/1.1\r\n${host}${handshake}\r\n`, 404, "not_found");
  });

  it("answers a handshake behind an unanswered request in its turn, as a plain request", async () => {
    const answers = await ask(`GET /readyz HTTP/1.1\r\n${host}\r\nGET /ws HTTP/1.1\r\n${host}${handshake}\r\n`);
    expect(answers).toHaveLength(2);
    expect(answers[0]!.body).toContain('"checks"');
    expectError(answers[1]!, [426, "upgrade_required"]);
  });
});

describe("C4-34 bytes that are no request", () => {
  it("are never answered in the place of the request before them", async () => {
    for (const garbage of ["G(T / HTTP/1.1\r\n\r\n", "\x16\x03\x01\x02", "GET / HTTP/1.1\r\nA\r\n\r\n"]) {
      const answers = await ask(`${post(json)}${garbage}${next}`);
      expect(answers.map(({ status }) => status)).toEqual([201, 400]);
      expectError(answers[1]!, [400, "invalid_request"]);
    }
  });

  it("are answered once, however many follow", async () => {
    const socket = await openSocket(server.port);
    const text = untilClosed(socket);
    socket.write(post(json));
    for (let n = 0; n < 50 && socket.writable; n++) {
      await new Promise<void>((resolve) => socket.write("G(T / HTTP/1.1\r\n\r\n", () => resolve()));
    }
    const answers = readAnswers(await text);
    // A reset may arrive before the second answer.
    expect([[201], [201, 400]]).toContainEqual(answers.map(({ status }) => status));
    expect(server.output()).not.toContain("MaxListenersExceededWarning");
  });
});
