import { once } from "node:events";
import type { Server, ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Connections } from "./connections.ts";
import { type ConnectionLimitReason, createConnectionLimit } from "./createConnectionLimit.ts";
import { createHttpServer } from "./createWire.ts";

const maxOfAddress = 5;
const maxOfProcess = 20;
/** Nineteen twentieths of the maximum: above it, new connections replace idle ones. */
const evictAt = 19;
const proxy = "127.0.0.9";

let server: Server;
let closed: ConnectionLimitReason[];
let sockets: Socket[];
/** The responses to `/slow`, which the test completes. */
let slow: ServerResponse[];

beforeEach(async () => {
  [closed, sockets, slow] = [[], [], []];
  const limit = createConnectionLimit({
    maxOfAddress,
    maxOfProcess,
    getAddress: ({ remoteAddress }) => (remoteAddress === proxy ? null : remoteAddress!),
    onClosed: (reason) => closed.push(reason),
  });
  const settings = { HEADERS_TIMEOUT_MS: 10_000, REQUEST_TIMEOUT_MS: 30_000, MAX_CONNECTIONS: maxOfProcess };
  const hotPath = { serve: () => false };
  server = createHttpServer(settings, new Connections(limit), hotPath, (request, response) => {
    if (request.url === "/slow") slow.push(response);
    else response.end("fast");
  });
  server.on("connection", limit.add);
  server.on("upgrade", (_request, socket) => {
    socket.on("error", () => undefined).on("end", () => socket.destroy());
    socket.resume().write("HTTP/1.1 101 Switching Protocols\r\n\r\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  server.close();
  server.closeAllConnections();
  await once(server, "close");
});

/** Opens a connection from an address of this machine. */
async function open(localAddress = "127.0.0.1"): Promise<Socket> {
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: "127.0.0.1", localAddress }).on("error", () => undefined);
  sockets.push(socket);
  await once(socket, "connect");
  return socket;
}

/** Sends a request; resolves with the first line of the response, or with null when the connection is closed. */
async function ask(socket: Socket, path = "/", more = ""): Promise<string | null> {
  const answer = Promise.race([once(socket, "data"), once(socket, "close").then(() => null)]);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`);
  const data = await answer;
  return data === null ? null : String(data[0]).split("\r\n", 1)[0]!;
}

const handshake = "Connection: Upgrade\r\nUpgrade: websocket\r\n";
const isOpen = (socket: Socket) => !socket.closed;
const countOpen = () => sockets.filter(isOpen).length;

describe("C4-56 the connections of an address", () => {
  it("above the limit replace the idle ones of that address, and leave all others open", async () => {
    const other = await open("127.0.0.2");
    await ask(other);
    for (let n = 0; n < 60; n++) expect(await ask(await open())).toBe("HTTP/1.1 200 OK");
    await expect.poll(countOpen).toBe(maxOfAddress + 1);
    expect(await ask(other)).toBe("HTTP/1.1 200 OK");
    expect(closed).toEqual(Array(60 - maxOfAddress).fill("address"));
  });

  it("are refused while all others are busy: requests in progress and streams stay", async () => {
    const busy = await Promise.all(Array.from({ length: maxOfAddress - 1 }, () => open()));
    const answers = busy.map((socket) => ask(socket, "/slow"));
    const stream = await open();
    expect(await ask(stream, "/", handshake)).toBe("HTTP/1.1 101 Switching Protocols");
    await expect.poll(() => slow.length).toBe(busy.length);
    expect(await ask(await open())).toBeNull();
    for (const response of slow) response.end();
    expect(await Promise.all(answers)).toEqual(busy.map(() => "HTTP/1.1 200 OK"));
    // The completed connections are idle again, and the oldest one makes room.
    expect(await ask(await open())).toBe("HTTP/1.1 200 OK");
    expect(isOpen(stream)).toBe(true);
    await expect.poll(() => busy.map(isOpen)).toEqual([false, true, true, true]);
  });

  it("count again when they were closed by the client", async () => {
    for (let n = 0; n < 3 * maxOfAddress; n++) {
      const socket = await open();
      await ask(socket);
      socket.destroy();
      await expect
        .poll(() => new Promise((resolve) => server.getConnections((_error, count) => resolve(count))))
        .toBe(0);
    }
    expect(closed).toEqual([]);
  });

  it("are not limited behind a trusted proxy", async () => {
    const own = await Promise.all(Array.from({ length: maxOfAddress + 5 }, () => open(proxy)));
    for (const socket of own) expect(await ask(socket)).toBe("HTTP/1.1 200 OK");
  });
});

describe("C4-56 near the maximum of the process, a new connection", () => {
  it("replaces the one that is idle for the longest time, and no stream", async () => {
    const streams: Socket[] = [];
    for (let n = 2; n < 6; n++) streams.push(await open(`127.0.0.${n}`));
    for (const stream of streams) await ask(stream, "/", handshake);
    const idle: Socket[] = [];
    for (let n = 0; streams.length + idle.length < evictAt; n++) idle.push(await open(`127.0.1.${n}`));
    for (const socket of idle) await ask(socket);
    // The first connection is used again, so the second one is idle for the longest time.
    await ask(idle[0]!);
    expect(await ask(await open("127.0.2.1"))).toBe("HTTP/1.1 200 OK");
    await expect.poll(() => idle.map(isOpen).indexOf(false)).toBe(1);
    for (let n = 2; n < 40; n++) expect(await ask(await open(`127.0.2.${n}`))).toBe("HTTP/1.1 200 OK");
    expect(streams.every(isOpen)).toBe(true);
    expect(new Set(closed)).toEqual(new Set(["process"]));
  });
});
