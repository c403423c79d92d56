import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { draw, drawAnimation, drawNoiseAnimation } from "../support/images/pictures.ts";
import { readMemory } from "../support/images/processUse.ts";
import { useUploads } from "../support/images/useUploads.ts";
import { openSocket, readAnswers, untilClosed } from "../support/security/rawHttp.ts";

const maxBytes = 4 * 1024 * 1024;
const uploads = useUploads();

/** A picture of exactly this many bytes: decoders ignore bytes after its end. */
const padTo = (picture: Buffer, bytes: number) => Buffer.concat([picture, Buffer.alloc(bytes - picture.length)]);

const getMemory = () => readMemory(uploads.server.pid);

const boundary = "slipway-boundary";
const part = (name: string, content: Buffer | string, more = '; filename="x.png"') =>
  Buffer.concat([
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from("\r\n"),
  ]);
const end = Buffer.from(`--${boundary}--\r\n`);

async function sendBody(body: Buffer | string, type = `multipart/form-data; boundary=${boundary}`) {
  const headers = { authorization: `Bearer ${uploads.servers.apiKey}`, "content-type": type };
  const sent = typeof body === "string" ? body : Uint8Array.from(body);
  const response = await fetch(`${uploads.server.base}/images`, { method: "POST", headers, body: sent });
  return { status: response.status, body: (await response.json()) as any };
}

const requestLines = (more: readonly string[]) =>
  [
    "POST /api/v1/launchpad/images HTTP/1.1",
    "Host: site.example",
    `Authorization: Bearer ${uploads.servers.apiKey}`,
    `Content-Type: multipart/form-data; boundary=${boundary}`,
    ...more,
    "\r\n",
  ].join("\r\n");

const chunk = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);

describe("an upload", () => {
  it("answers where the picture is, which is served with its own type and can run nothing", async () => {
    const { status, body } = await uploads.upload(await draw(300, 200).png().toBuffer());
    expect([status, body]).toEqual([
      200,
      {
        uri: `https://site.example/media/${body.sha256}.webp`,
        ipfs: null,
        url: `https://site.example/media/${body.sha256}.webp`,
        ipfs_error: null,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        cid: expect.stringMatching(/^bafkrei[a-z2-7]{52}$/),
        width: 300,
        height: 200,
        animated: false,
        bytes: expect.any(Number),
        content_type: "image/webp",
        blurhash: expect.any(String),
        dominant_color: expect.stringMatching(/^#[0-9a-f]{6}$/),
      },
    ]);
    for (const path of [`${body.sha256}.webp`, ...[64, 256, 512, 1024].map((size) => `${body.sha256}/${size}.webp`)]) {
      const served = await uploads.getMedia(path);
      const headers = Object.fromEntries(served.headers);
      expect([served.status, headers]).toMatchObject([
        200,
        {
          "content-type": "image/webp",
          "cache-control": "public, max-age=31536000, immutable",
          "content-security-policy": "default-src 'none';sandbox",
          "x-content-type-options": "nosniff",
          "accept-ranges": "bytes",
          etag: `"${path}"`,
        },
      ]);
      const bytes = Buffer.from(await served.arrayBuffer());
      if (!path.includes("/")) expect(bytes.length).toBe(body.bytes);
      const known = await uploads.getMedia(path, { "if-none-match": headers.etag! });
      expect([known.status, (await known.arrayBuffer()).byteLength]).toEqual([304, 0]);
      const range = await uploads.getMedia(path, { range: "bytes=4-9" });
      expect([range.status, range.headers.get("content-range")]).toEqual([206, `bytes 4-9/${bytes.length}`]);
      expect(Buffer.from(await range.arrayBuffer())).toEqual(bytes.subarray(4, 10));
    }
  });

  it("of the same picture gives the same answer, also of another account, and is stored once", async () => {
    const file = await drawAnimation("gif");
    const other = await uploads.servers.newKey();
    const answers = await Promise.all([...Array(4)].map((_, i) => uploads.upload(file, i % 2 ? other : {})));
    for (const { status, body } of answers) expect([status, body]).toEqual([200, answers[0]!.body]);
    const { rows } = await uploads.servers.pool.query("select 1 from app.images where sha256 = decode($1, 'hex')", [
      answers[0]!.body.sha256,
    ]);
    expect(rows.length).toBe(1);
  });

  it.each([
    ["another name", "0".repeat(64)],
    ["another extension", "SHA.png"],
    ["no extension", "SHA"],
    ["another size", "SHA/65.webp"],
    ["a path to other files", "SHA/..%2f..%2fetc%2fpasswd"],
    ["an unknown picture", `${"0".repeat(64)}.webp`],
    ["upper case", "UPPER.webp"],
  ])("is not found under %s", async (_what, path) => {
    const { body } = await uploads.upload(await draw().png().toBuffer());
    const name = path.replace("SHA", body.sha256).replace("UPPER", body.sha256.toUpperCase());
    const answer = await uploads.getMedia(name);
    expect([answer.status, ((await answer.json()) as any).error.code]).toEqual([404, "not_found"]);
  });

  it("that is blocked is not served, and is refused when it is sent again", async () => {
    const file = await draw(33, 44).png().toBuffer();
    const { body } = await uploads.upload(file);
    await uploads.servers.pool.query("update app.images set blocked_at = now() where sha256 = decode($1, 'hex')", [
      body.sha256,
    ]);
    const answers = [`${body.sha256}.webp`, `${body.sha256}/64.webp`].map((path) => uploads.getMedia(path));
    for (const answer of answers) expect((await answer).status).toBe(404);
    expect(await uploads.upload(file)).toMatchObject({
      status: 422,
      body: { error: { code: "invalid_fields", field: "file" } },
    });
  });

  it("answers a range that begins after the end with 416, and ignores what is no single range", async () => {
    const { body } = await uploads.upload(await draw().png().toBuffer());
    const ask = async (range: string, more = {}) =>
      (await uploads.getMedia(`${body.sha256}.webp`, { range, ...more })).status;
    expect(await ask(`bytes=${body.bytes}-`)).toBe(416);
    expect(await ask("bytes=-5")).toBe(206);
    expect(await ask("bytes=0-")).toBe(206);
    for (const range of ["bytes=0-1,3-4", "bytes=9-2", "rows=0-1", "bytes=a-b", "bytes=-"])
      expect(await ask(range)).toBe(200);
    expect(await ask("bytes=0-3", { "if-range": '"other"' })).toBe(200);
  });
});

describe("C5-01 the size of a file", () => {
  it("may be exactly 4 MiB, and one byte more is 413", async () => {
    const picture = await draw().png().toBuffer();
    expect((await uploads.upload(padTo(picture, maxBytes))).status).toBe(200);
    const refused = await uploads.upload(padTo(picture, maxBytes + 1));
    expect([refused.status, refused.body.error.code]).toEqual([413, "image_too_large"]);
  });

  it("is refused by Content-Length before a byte of it is sent", async () => {
    const socket = await openSocket(uploads.server.port);
    const answer = untilClosed(socket);
    socket.write(requestLines(["Content-Length: 1000000000", "Connection: close"]));
    await expect.poll(() => socket.bytesRead).toBeGreaterThan(0);
    socket.destroy();
    const [{ status, body }] = readAnswers(await answer) as any;
    expect([status, JSON.parse(body).error.code]).toEqual([413, "image_too_large"]);
  });

  it("of a body without an end is cut at the limit, and the connection ends soon after", async () => {
    const socket = await openSocket(uploads.server.port);
    const answer = untilClosed(socket);
    socket.write(requestLines(["Transfer-Encoding: chunked"]));
    socket.write(chunk(part("file", "")));
    const before = getMemory();
    const piece = chunk(randomBytes(64 * 1024));
    let sent = 0;
    for (; !socket.destroyed && sent < 400 * 1024 * 1024; sent += piece.length) {
      if (!socket.write(piece))
        await Promise.race([sleep(50), new Promise((resolve) => socket.once("drain", resolve))]);
    }
    expect(sent).toBeLessThan(100 * 1024 * 1024);
    const [{ status, body }] = readAnswers(await answer) as any;
    expect([status, JSON.parse(body).error.code]).toEqual([413, "image_too_large"]);
    expect(getMemory() - before).toBeLessThan(150 * 1024 * 1024);
  });

  it("counts also what comes before the first part", async () => {
    const preamble = Buffer.alloc(maxBytes + 64 * 1024, "x");
    const socket = await openSocket(uploads.server.port);
    const answer = untilClosed(socket);
    socket.write(requestLines(["Transfer-Encoding: chunked", "Connection: close"]));
    socket.write(chunk(preamble));
    socket.write("0\r\n\r\n");
    expect(readAnswers(await answer)[0]!.status).toBe(413);
  });
});

describe("C5-03 a body that is not one file", () => {
  const cases: Record<string, [() => Promise<Buffer | string> | Buffer | string, string?]> = {
    JSON: [() => '{"file":"x"}', "application/json"],
    text: [() => "file", "text/plain"],
    "a form without a boundary": [() => "file", "multipart/form-data"],
    "another kind of multipart": [
      () => Buffer.concat([part("file", "x"), end]),
      `multipart/mixed; boundary=${boundary}`,
    ],
    nothing: [() => ""],
    "no part": [() => end],
    "a part of another name": [() => Buffer.concat([part("picture", "x"), end])],
    "a part without a name": [
      () => Buffer.concat([Buffer.from(`--${boundary}\r\nContent-Type: image/png\r\n\r\nx\r\n`), end]),
    ],
    "a second file": [async () => Buffer.concat([part("file", await draw().png().toBuffer()), part("file", "x"), end])],
    "a field beside the file": [
      async () => Buffer.concat([part("file", await draw().png().toBuffer()), part("note", "x", ""), end]),
    ],
    "a field before the file": [
      async () => Buffer.concat([part("note", "x", ""), part("file", await draw().png().toBuffer()), end]),
    ],
    "a file that is cut off": [async () => part("file", await draw().png().toBuffer())],
    "headers of a part without an end": [() => `--${boundary}\r\nContent-Disposition: ${"x".repeat(100_000)}`],
  };
  it.each(Object.entries(cases))("(%s) is 400", async (_name, [create, type]) => {
    expect(await sendBody(await create(), type)).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_request" } },
    });
  });

  it("takes the type from the content, whatever the part's name and type say", async () => {
    const jpeg = await draw(64, 64, 3).jpeg().toBuffer();
    expect(await uploads.upload(jpeg, { name: "../../x.svg", type: "image/svg+xml" })).toMatchObject({ status: 200 });
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
    const refused = await uploads.upload(svg, { name: "x.png", type: "image/png" });
    expect([refused.status, refused.body.error.code]).toEqual([415, "unsupported_image_type"]);
  });

  it("stores nothing and the server goes on when the caller leaves in the middle", async () => {
    const socket = await openSocket(uploads.server.port);
    socket.write(requestLines(["Content-Length: 100000"]));
    socket.write(part("file", randomBytes(5_000)).subarray(0, 3_000));
    socket.destroy();
    expect((await uploads.upload(await draw().png().toBuffer())).status).toBe(200);
  });
});

it("C5-37 stores nothing of a file within the limit that would become several times as large", async () => {
  const before = readdirSync(uploads.folder, { recursive: true });
  const file = await drawNoiseAnimation(160);
  expect(file.length).toBeLessThan(maxBytes);
  const { status, body } = await uploads.upload(file);
  expect([status, body.error.code, body.error.field]).toEqual([422, "invalid_fields", "file"]);
  expect(body.error.message).toContain("send one of fewer frames or fewer pixels");
  expect(readdirSync(uploads.folder, { recursive: true })).toEqual(before);
});

/**
 * Starts an upload with each of the keys and completes none. Returns their connections once one is rejected: only then
 * are all slots of the account, or of the address, in use.
 */
async function holdUploads(keys: string[]): Promise<Socket[]> {
  const sockets = await Promise.all(keys.map(async () => await openSocket(uploads.server.port)));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  const refused = Promise.race(sockets.map(async (socket) => String((await once(socket, "data"))[0])));
  for (const [n, socket] of sockets.entries()) {
    socket.write(requestLines(["Content-Length: 100000"]).replace(uploads.servers.apiKey, keys[n]!));
    socket.write(part("file", randomBytes(2_000)).subarray(0, 1_500));
  }
  expect(await refused).toMatch(/^HTTP\/1\.1 503 /);
  return sockets;
}

it("C5-13 bounds the uploads in progress of an account; those of others are served", async () => {
  const holding = await holdUploads(Array<string>(5).fill(uploads.servers.apiKey));
  const file = await draw().png().toBuffer();
  const refused = await uploads.upload(file);
  expect([refused.status, refused.body.error.code, refused.headers.get("retry-after")]).toEqual([
    ...[503, "overloaded"],
    expect.stringMatching(/^\d+$/),
  ]);
  expect((await uploads.upload(file, await uploads.servers.newKey())).status).toBe(200);
  for (const socket of holding) socket.destroy();
  await expect.poll(async () => (await uploads.upload(await draw().png().toBuffer())).status).toBe(200);
});

/** Uploads a picture from another address of this machine. */
async function uploadFrom(localAddress: string, key: string): Promise<number> {
  const form = Buffer.concat([part("file", await draw().png().toBuffer()), end]);
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": `multipart/form-data; boundary=${boundary}`,
    "content-length": form.length,
  };
  const sent = request(`${uploads.server.base}/images`, { method: "POST", localAddress, headers }).end(form);
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  answer.resume();
  return answer.statusCode!;
}

it("C5-13 one address does not take the places of all others, however many accounts it has", async () => {
  const accounts = await Promise.all([...Array(8)].map(async () => await uploads.servers.newKey()));
  await holdUploads(accounts.flatMap(({ apiKey }) => Array<string>(4).fill(apiKey)));
  const { apiKey: key } = await uploads.servers.newKey();
  expect(await uploadFrom("127.0.0.1", key)).toBe(503);
  expect(await uploadFrom("127.0.0.2", key)).toBe(200);
});
