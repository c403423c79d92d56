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
/** Milliseconds. */
let time: number;

beforeEach(async () => {
  [closed, sockets, slow, time] = [[], [], [], 0];
  const limit = createConnectionLimit({
    clock: { now: () => time },
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
  server.on("connection", limit.add).on("drop", limit.makeRoomInProcess);
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

describe("C4-75 near the maximum of the process, a new connection", () => {
  const lateMs = 3_000;
  const body = "Content-Length: 5\r\n";

  /** Opens connections that send the head of a request and not its body, or a complete request if `more` has no length. */
  async function openBusy(count: number, network: string, more = body): Promise<Socket[]> {
    const opened: Socket[] = [];
    for (let n = 1; n <= count; n++) {
      const expected = slow.length + 1;
      const socket = await open(`${network}.${n}`);
      opened.push(socket);
      socket.write(`POST /slow HTTP/1.1\r\nHost: x\r\n${more}\r\n`);
      await expect.poll(() => slow.length).toBe(expected);
    }
    return opened;
  }

  it("replaces the oldest late request of the network with the most connections, and no complete one", async () => {
    const complete = await openBusy(2, "127.0.5", "");
    const few = await openBusy(1, "127.0.6");
    const many = await openBusy(evictAt - 3, "127.0.4");
    time += lateMs;
    expect(await ask(await open("127.0.2.1"))).toBe("HTTP/1.1 200 OK");
    await expect.poll(() => many.map(isOpen).indexOf(false)).toBe(0);
    for (let n = 2; n < 40; n++) expect(await ask(await open(`127.0.2.${n}`))).toBe("HTTP/1.1 200 OK");
    expect([...complete, ...few].every(isOpen)).toBe(true);
  });

  it("is served again after the maximum itself was reached", async () => {
    const slowOnes = await openBusy(maxOfProcess, "127.0.4");
    expect(await ask(await open("127.0.2.1"))).toBeNull();
    expect(slowOnes.every(isOpen)).toBe(true);
    time += lateMs;
    // Node.js drops this one before the server knows of it.
    expect(await ask(await open("127.0.2.1"))).toBeNull();
    expect(await ask(await open("127.0.2.1"))).toBe("HTTP/1.1 200 OK");
  });

  it("leaves a request open that became complete, and a late second request of a connection is not spared", async () => {
    const [first, second] = await openBusy(2, "127.0.4");
    first!.write("12345");
    second!.write(`12345POST /slow HTTP/1.1\r\nHost: x\r\n${body}\r\n`);
    await expect.poll(() => slow.length).toBe(3);
    await openBusy(evictAt - 2, "127.0.5", "");
    time += lateMs;
    expect(await ask(await open("127.0.2.1"))).toBe("HTTP/1.1 200 OK");
    await expect.poll(() => [first!, second!].map(isOpen)).toEqual([true, false]);
  });
});
