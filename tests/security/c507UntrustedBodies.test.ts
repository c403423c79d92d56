import type { ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from "node:zlib";
import { createUntrustedFetch, type UntrustedRequest } from "@slipway/server/providers/untrustedFetch/untrustedFetch";
import type { UntrustedFetchError } from "@slipway/server/providers/untrustedFetch/untrustedFetchError";
import { systemClock } from "@slipway/server/systemClock";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import {
  startTrap,
  startUntrustedServer,
  type UntrustedServer,
  untrustedHost,
} from "../support/security/untrustedServer.ts";

const json = { "content-type": "application/json" };
const gigabyte = 2 ** 30;
const megabyte = Buffer.alloc(2 ** 20, 0x20);

/** The bytes that the server's socket accepted, by path: an upper bound of the bytes that a fetcher received. */
const sent: Record<string, number> = {};

/** Waits until a stream accepts more data, or its reader has disconnected. */
async function drained(stream: Writable, response: ServerResponse): Promise<void> {
  const settled = Promise.withResolvers<void>();
  const done = () => settled.resolve();
  stream.on("drain", done);
  response.on("close", done);
  await settled.promise;
  stream.off("drain", done);
  response.off("close", done);
}

/** Writes as fast as the reader reads, until the reader disconnects or `bytes` are written. */
async function pour(response: ServerResponse, path: string, bytes: number): Promise<void> {
  for (let written = 0; written < bytes && !response.destroyed; written += megabyte.length) {
    if (!response.write(megabyte)) await drained(response, response);
    sent[path] = response.socket?.bytesWritten ?? sent[path] ?? 0;
  }
  if (!response.destroyed) response.end();
}

/** A gigabyte of blanks as gzip: about a megabyte, whose first 20 kB already decompress to more than any limit here. */
async function pourBomb(response: ServerResponse): Promise<void> {
  response.writeHead(200, { ...json, "content-encoding": "gzip" });
  const gzip = createGzip({ level: 9 }).on("error", () => undefined);
  gzip.pipe(response);
  for (let written = 0; written < gigabyte && !response.destroyed; written += megabyte.length) {
    if (!gzip.write(megabyte)) await drained(gzip, response);
  }
  gzip.end();
}

const answers: Record<string, (response: ServerResponse) => unknown> = {
  "/gigabyte-said": (response) => {
    response.writeHead(200, { ...json, "content-length": gigabyte });
    return pour(response, "/gigabyte-said", gigabyte);
  },
  "/gigabyte-chunked": (response) => {
    response.writeHead(200, json);
    return pour(response, "/gigabyte-chunked", gigabyte);
  },
  "/endless": (response) => {
    response.writeHead(200, json);
    return pour(response, "/endless", Number.POSITIVE_INFINITY);
  },
  "/bomb": pourBomb,
  "/byte-by-byte": (response) => {
    response.writeHead(200, json);
    const timer = setInterval(() => response.write(" "), 100);
    response.on("close", () => clearInterval(timer));
  },
  "/silent": () => undefined,
  "/silent-after-head": (response) => response.writeHead(200, json).flushHeaders(),
  "/cut": (response) => {
    response.writeHead(200, { ...json, "content-length": 1_000 }).write("{");
    setImmediate(() => response.socket?.destroy());
  },
  "/many-headers": (response) => {
    const headers = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`x-${i}`, "a".repeat(1_000)]));
    response.writeHead(200, { ...json, ...headers }).end("{}");
  },
  "/endless-error": (response) => {
    response.writeHead(500, json);
    return pour(response, "/endless-error", Number.POSITIVE_INFINITY);
  },
  "/gzip": (response) => response.writeHead(200, { ...json, "content-encoding": "gzip" }).end(gzipSync('{"a":1}')),
  "/br": (response) =>
    response.writeHead(200, { ...json, "content-encoding": "br" }).end(brotliCompressSync('{"a":1}')),
  "/deflate": (response) =>
    response.writeHead(200, { ...json, "content-encoding": "deflate" }).end(deflateSync('{"a":1}')),
  "/cut-gzip": (response) =>
    response.writeHead(200, { ...json, "content-encoding": "gzip" }).end(gzipSync('{"a":1}').subarray(0, 20)),
  "/broken-gzip": (response) => response.writeHead(200, { ...json, "content-encoding": "gzip" }).end("not gzip at all"),
  "/broken-br": (response) =>
    response.writeHead(200, { ...json, "content-encoding": "br" }).end(Buffer.alloc(40, 0xff)),
  "/zstd": (response) => response.writeHead(200, { ...json, "content-encoding": "zstd" }).end("x"),
  "/twice": (response) => response.writeHead(200, { ...json, "content-encoding": "gzip, gzip" }).end("x"),
  "/html": (response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
  "/untyped": (response) => response.writeHead(200).end("{}"),
  "/exact": (response) => response.writeHead(200, json).end("x".repeat(65_536)),
  "/one-more": (response) => response.writeHead(200, json).end("x".repeat(65_537)),
};

let server: UntrustedServer;
beforeAll(async () => {
  server = await startUntrustedServer((request, response) => {
    response.on("error", () => undefined);
    answers[request.url!]!(response);
  });
});
afterAll(() => server?.close());

function fetchPath(path: string, more: Partial<UntrustedRequest> = {}) {
  const untrustedFetch = createUntrustedFetch({
    clock: systemClock,
    ca: server.ca,
    resolve: async (name) => (name === untrustedHost ? ["127.0.0.2"] : []),
    addressPolicy: ({ address }) => address === "127.0.0.2",
  });
  return untrustedFetch(server.url(path), {
    maxBytes: 65_536,
    deadlineMs: 15_000,
    accept: ["application/json"],
    ...more,
  });
}

const getCode = (path: string, more?: Partial<UntrustedRequest>) =>
  fetchPath(path, more).then(
    (answer) => `${answer.status}`,
    (error: UntrustedFetchError) => error.code,
  );

test("C5-07 a gigabyte is cut at the limit, with or without a declared length", async () => {
  for (const path of ["/gigabyte-said", "/gigabyte-chunked", "/endless"]) {
    const before = process.memoryUsage().arrayBuffers;
    expect(await getCode(path), path).toBe("too_large");
    // The capacity of kernel and stream buffers; the rest was never sent.
    expect(sent[path] ?? 0, path).toBeLessThan(64 * 2 ** 20);
    expect(process.memoryUsage().arrayBuffers - before, path).toBeLessThan(64 * 2 ** 20);
  }
});

test("C5-07 a gzip bomb is cut at the limit of what it unpacks to", async () => {
  const before = process.memoryUsage().arrayBuffers;
  expect(await getCode("/bomb")).toBe("too_large");
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 2 ** 20);
});

test("C5-07 a body that never ends, a byte at a time, and a server that says nothing are cut at the deadline", async () => {
  for (const path of ["/byte-by-byte", "/silent", "/silent-after-head"]) {
    const started = performance.now();
    expect(await getCode(path, { deadlineMs: 600 }), path).toBe("too_slow");
    // Not before the deadline; the pauses within these bodies are shorter.
    expect(performance.now() - started, path).toBeGreaterThan(500);
  }
});

test("C5-07 silence is cut before the deadline", async () => {
  // The limit of silence is 5 s: this deadline exceeds the test's own timeout.
  expect(await getCode("/silent-after-head", { deadlineMs: 3_600_000 })).toBe("too_slow");
});

test("C5-07 a name without an answer and a port without TLS are cut at the deadline", async () => {
  const mute = await startTrap(0, "127.0.0.2");
  onTestFinished(() => mute.close());
  const request = { maxBytes: 100, deadlineMs: 600, accept: ["application/json"] };
  const settings = { clock: systemClock, addressPolicy: () => true };
  const waiting = createUntrustedFetch({ ...settings, resolve: () => new Promise(() => undefined) });
  await expect(waiting("https://a.example/", request)).rejects.toMatchObject({ code: "too_slow" });
  const unanswered = createUntrustedFetch({ ...settings, resolve: async () => ["127.0.0.2"] });
  await expect(unanswered(`https://a.example:${mute.port}/`, request)).rejects.toMatchObject({ code: "too_slow" });
  expect(mute.connections()).toBe(1);
  const unresolved = createUntrustedFetch({ ...settings, resolve: async () => [] });
  await expect(unresolved("https://a.example/", request)).rejects.toMatchObject({ code: "name_unknown" });
});

test("C5-07 the limit is exact", async () => {
  expect((await fetchPath("/exact")).bytes).toHaveLength(65_536);
  expect(await getCode("/one-more")).toBe("too_large");
});

test.each([
  ["/cut", "unreachable"],
  ["/many-headers", "unreachable"],
  ["/cut-gzip", "broken_body"],
  ["/broken-gzip", "broken_body"],
  ["/broken-br", "broken_body"],
  ["/zstd", "wrong_type"],
  ["/twice", "wrong_type"],
  ["/html", "wrong_type"],
  ["/untyped", "wrong_type"],
])("C5-07 %s is refused as %s", async (path, code) => {
  expect(await getCode(path)).toBe(code);
});

test.each(["/gzip", "/br", "/deflate"])("a body in %s is unpacked", async (path) => {
  expect(Buffer.from((await fetchPath(path)).bytes).toString()).toBe('{"a":1}');
});

test("C5-07 the body of an error is not read", async () => {
  const answer = await fetchPath("/endless-error");
  expect([answer.status, answer.bytes.length]).toEqual([500, 0]);
  expect(sent["/endless-error"] ?? 0).toBeLessThan(64 * 2 ** 20);
});

test("a caller that aborts gets its rejection at once", async () => {
  const stopping = new AbortController();
  const outcome = getCode("/silent", { signal: stopping.signal });
  setTimeout(() => stopping.abort(), 50);
  expect(await outcome).toBe("stopped");
  expect(await getCode("/gzip", { signal: AbortSignal.abort() })).toBe("stopped");
});
