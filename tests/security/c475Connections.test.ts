import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { createAccount } from "@slipway/server/accounts/accounts";
import { createApiKeySecret } from "@slipway/server/accounts/apiKeys";
import { startPlan } from "@slipway/server/accounts/plans";
import { beforeEach, describe, expect, it } from "vitest";
import { createReadApp } from "../support/server/readApp.ts";
import { insertIndex } from "../support/server/rows.ts";
import { useReadApp } from "../support/server/useReadApp.ts";

const fixture = useReadApp();
const api = "/api/v1/launchpad";
const maxConnections = 40;
const maxStreams = maxConnections / 2;
const webSocketHeaders = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
};

let port: number;
/** The credential of a subscriber. */
let authorization: string;
/** Closes the connection of a client. */
let closes: (() => void)[];

beforeEach(async () => {
  closes = [];
  const { db } = fixture.database;
  await insertIndex(db);
  const { app, deps } = await createReadApp(db, { MAX_CONNECTIONS: String(maxConnections), STREAMS_PER_ADDRESS: "5" });
  const { key, ...stored } = createApiKeySecret(deps.ids);
  const owner = { accountId: deps.ids.uuid(), name: "subscriber", keyId: deps.ids.uuid(), keyName: "test" };
  await createAccount(db.indexer, { ...owner, ...stored, scopes: [] });
  await startPlan(db.indexer, owner.accountId, "subscriber");
  authorization = `Bearer ${key}`;
  await app.listen({ port: 0, host: "127.0.0.1" });
  ({ port } = app.server.address() as AddressInfo);
  return async () => {
    for (const close of closes) close();
    deps.liveFeed.end();
    await app.close();
  };
});

/** Opens connections one after the other, five from each address of 127.0.4.0/24, and sends each one this text. */
async function flood(count: number, text: string): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let n = 0; n < count; n++) {
    const localAddress = `127.0.4.${1 + Math.floor(n / 5)}`;
    const socket = connect({ port, host: "127.0.0.1", localAddress }).on("error", () => undefined);
    closes.push(() => socket.destroy());
    sockets.push(socket);
    await once(socket, "connect");
    const answered = once(socket, "data").catch(() => undefined);
    socket.write(text);
    await Promise.race([answered, once(socket, "close")]);
    socket.resume();
  }
  return sockets;
}

/** Returns the status and the head of the answer to a request; a connection that was closed instead has its error code. */
async function ask(localAddress: string, path: string, headers = {}) {
  const sent = request({ port, host: "127.0.0.1", path, localAddress, headers, agent: false }).end();
  closes.push(() => sent.destroy());
  const upgraded = once(sent, "upgrade").then(([answer]) => answer as IncomingMessage);
  const answered = once(sent, "response").then(([answer]) => answer as IncomingMessage);
  try {
    const answer = await Promise.any([upgraded, answered]);
    answer.on("error", () => undefined).resume();
    return { status: answer.statusCode, headers: answer.headers, socket: answer.socket };
  } catch (error) {
    return { status: String((error as AggregateError).errors[0].code) };
  }
}

const countOpen = (sockets: Socket[]) => sockets.filter((socket) => !socket.closed).length;
const openStreams = (count: number) => flood(count, `GET ${api}/stream HTTP/1.1\r\nHost: x\r\n\r\n`);

describe("C4-75 many addresses that keep streams", () => {
  it("occupy half of the connections, and other clients are served and get a stream", async () => {
    const streams = await openStreams(maxConnections + 10);
    await expect.poll(() => countOpen(streams)).toBeGreaterThanOrEqual(maxStreams);
    expect((await ask("127.0.9.9", `${api}/config`)).status).toBe(200);

    const other = await ask("127.0.9.9", `${api}/stream`);
    expect(other.status).toBe(200);
    await openStreams(10);
    expect(other.socket!.closed).toBe(false);
  });

  it("do not close out a subscriber, and only a verified handshake replaces a stream", async () => {
    const streams = await openStreams(maxStreams);
    const stranger = await ask("127.0.9.9", "/ws", webSocketHeaders);
    expect([stranger.status, countOpen(streams)]).toEqual([401, maxStreams]);

    const subscriber = await ask("127.0.9.9", "/ws", { ...webSocketHeaders, authorization });
    expect(subscriber.status).toBe(101);
    await expect.poll(() => countOpen(streams)).toBe(maxStreams - 1);
    expect(subscriber.socket!.closed).toBe(false);
  });

  it("get 429 with Retry-After for one more, and no stream of another network is closed", async () => {
    const other = await ask("127.0.9.9", `${api}/stream`);
    const streams = await openStreams(maxStreams - 1);
    const more = await ask("127.0.4.200", `${api}/stream`);
    // The network competes within itself: this address has no stream yet, so it replaces one of 127.0.4.1.
    expect(more.status).toBe(200);
    await expect.poll(() => countOpen(streams)).toBe(maxStreams - 2);
    const refused = await ask("127.0.4.1", `${api}/stream`);
    expect([refused.status, refused.headers?.["retry-after"]]).toEqual([429, "2"]);
    expect(other.socket!.closed).toBe(false);
  });
});

describe("C4-75 many addresses that do not send the body of a request", () => {
  it("close out nobody for longer than three seconds", async () => {
    const lines = [`POST ${api}/trade/quote HTTP/1.1`, "Host: x", `Authorization: ${authorization}`];
    const fields = ["Content-Type: application/json", "Content-Length: 500", "Expect: 100-continue"];
    const slow = await flood(maxConnections + 5, `${[...lines, ...fields].join("\r\n")}\r\n\r\n{`);
    // The server waits for the bodies.
    expect(countOpen(slow)).toBe(maxConnections);
    const interim = "HTTP/1.1 100 Continue\r\n\r\n".length;
    expect(slow.filter(({ bytesRead }) => bytesRead === interim)).toHaveLength(maxConnections);
    // The first one may be dropped by Node.js, at the maximum itself.
    await expect.poll(async () => (await ask("127.0.9.9", `${api}/config`)).status, { timeout: 8_000 }).toBe(200);
    for (let n = 1; n < 10; n++) expect((await ask(`127.0.8.${n}`, `${api}/config`)).status).toBe(200);
  });
});
