import { connect } from "node:net";
import { deflateRawSync } from "node:zlib";
import { maxClientMessageBytes } from "@slipway/protocol/liveMessages";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { SubscriberAccount } from "../support/security/createSubscriber.ts";
import { bearer, type LiveClient, openLive, pollOptions } from "../support/security/liveClient.ts";
import { type LiveService, startLiveService } from "../support/security/startLiveService.ts";

let service: LiveService;
let site: string;
let subscriber: SubscriberAccount;
let bystander: LiveClient;
let hostile: LiveClient;

beforeAll(async () => {
  service = await startLiveService();
  ({ url: site } = await service.openServer());
  subscriber = await service.createSubscriber();
});
afterAll(() => service?.close());

beforeEach(async () => {
  bystander = await openLive(site, bearer(subscriber.key));
  hostile = await openLive(site, bearer(subscriber.key));
});

// Whatever one client sends, all others are still served.
afterEach(async () => {
  bystander.send({ type: "ping", id: "still here" });
  await bystander.until((messages) => messages.some((message) => message.type === "pong"));
  bystander.ws.terminate();
  hostile.ws.terminate();
});

/** Creates a frame (RFC 6455, 5.2) with any bits; a mask of zeros leaves the payload unchanged. */
function frame(firstByte: number, payload: Buffer, { masked = true } = {}): Buffer {
  const length =
    payload.length < 126
      ? Buffer.from([payload.length])
      : payload.length < 65_536
        ? Buffer.from([126, payload.length >> 8, payload.length & 255])
        : Buffer.concat([Buffer.from([127]), uint64(payload.length)]);
  length[0]! |= masked ? 0x80 : 0;
  return Buffer.concat([Buffer.from([firstByte]), length, Buffer.alloc(masked ? 4 : 0), payload]);
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

/** Bypasses the client library, which would refuse to send it. */
const sendRaw = (...frames: Buffer[]) => {
  const socket = (hostile.ws as unknown as { _socket: { write(bytes: Buffer): void } })._socket;
  for (const bytes of frames) socket.write(bytes);
};

const text = 0x1;
const continuation = 0x0;
const binary = 0x2;
const ping = 0x9;
const final = 0x80;
const compressed = 0x40;

describe("C6-03 hostile clients", () => {
  it("C6-03 closes 1008 on a flood of messages, having looked at twice a second's worth at the most", async () => {
    for (let n = 0; n < 10_000; n++) hostile.send({ type: "ping", id: String(n) });
    expect(await hostile.untilClosed()).toEqual({ code: 1008, reason: "too many messages" });
    // 10 a second, 20 at once, and the tokens refilled meanwhile.
    expect(hostile.messages.length).toBeLessThan(100);
  });

  it("C6-03 closes 1008 on a flood of pings", async () => {
    sendRaw(...Array.from({ length: 1_000 }, () => frame(final | ping, Buffer.alloc(0))));
    expect((await hostile.untilClosed()).code).toBe(1008);
  });

  it("C6-03 closes 1009 on a frame of 1 MB, and on one byte more than allowed", async () => {
    hostile.ws.send("x".repeat(1_000_000));
    expect((await hostile.untilClosed()).code).toBe(1009);
    const other = await openLive(site, bearer(subscriber.key));
    other.ws.send(JSON.stringify({ type: "ping" }).padEnd(maxClientMessageBytes));
    await other.until((messages) => messages.some((message) => message.type === "pong"));
    other.ws.send(JSON.stringify({ type: "ping" }).padEnd(maxClientMessageBytes + 1));
    expect((await other.untilClosed()).code).toBe(1009);
  });

  it("C6-03 closes a message that is fragmented for ever: 1009 by its size, 1008 by its empty parts", async () => {
    sendRaw(frame(text, Buffer.from("{")));
    sendRaw(...Array.from({ length: 20 }, () => frame(continuation, Buffer.alloc(1_000, " "))));
    expect((await hostile.untilClosed()).code).toBe(1009);
    hostile = await openLive(site, bearer(subscriber.key));
    sendRaw(frame(text, Buffer.from("{")));
    sendRaw(...Array.from({ length: 1_000 }, () => frame(continuation, Buffer.alloc(0))));
    expect((await hostile.untilClosed()).code).toBe(1008);
  });

  it("C6-03 closes 1007 on invalid UTF-8", async () => {
    sendRaw(frame(final | text, Buffer.from([0x22, 0xc3, 0x28, 0x22])));
    expect((await hostile.untilClosed()).code).toBe(1007);
  });

  it("C6-03 agrees to no compression, and closes 1002 on a compressed bomb", async () => {
    expect(hostile.ws.extensions).toBe("");
    sendRaw(frame(final | compressed | text, deflateRawSync(Buffer.alloc(10_000_000))));
    expect((await hostile.untilClosed()).code).toBe(1002);
  });

  it("C6-03 closes 1003 on a binary message, and 1002 on a frame without a mask", async () => {
    sendRaw(frame(final | binary, Buffer.from("{}")));
    expect((await hostile.untilClosed()).code).toBe(1003);
    hostile = await openLive(site, bearer(subscriber.key));
    sendRaw(frame(final | text, Buffer.from("{}"), { masked: false }));
    expect((await hostile.untilClosed()).code).toBe(1002);
  });

  it("C6-03 reports what is wrong with a message, keeps the subscription, and closes 1008 after five of them", async () => {
    const token = `0x${"a".repeat(40)}`;
    hostile.send({ type: "subscribe_live", channels: ["trades"], tokens: [token] });
    hostile.ws.send("{");
    hostile.ws.send("[]");
    hostile.send({ type: "subscribe_live", channels: [] });
    hostile.send({ type: "subscribe_live", channels: ["trades"], tokens: [token, "0x1"] });
    await hostile.until((messages) => messages.filter(({ type }) => type === "error").length === 4);
    const errors = hostile.messages.flatMap((message) => (message.type === "error" ? [message.error] : []));
    expect(errors.map(({ code, field, message }) => [code, field, message])).toEqual([
      ["invalid_json", undefined, "The message is not JSON; send one JSON object."],
      ["invalid_fields", undefined, "The message must be an object, not a list."],
      ["invalid_fields", "channels", "channels must not be empty."],
      ["invalid_fields", "tokens[1]", "tokens[1] must be 0x followed by 40 hex digits."],
    ]);
    await service.publishTrades(token, 1);
    await hostile.until((messages) => messages.some(({ type }) => type === "trade"));
    hostile.send({ type: "subscribe_live", channels: ["trades"], __proto__: 1, unknown: true });
    expect(await hostile.untilClosed()).toEqual({ code: 1008, reason: "too many bad messages" });
  });

  it("C6-03 ends a connection whose other end answers no pings, and no other", async () => {
    const { url } = await service.openServer({ WS_HEARTBEAT_MS: "600" });
    const silent = await openLive(url, bearer(subscriber.key));
    const awake = await openLive(url, bearer(subscriber.key));
    silent.ws.pause();
    const ended = async () =>
      /^slipway_websockets_closed_total\{code="1006"\} 1$/m.test(await (await fetch(`${url}/metrics`)).text());
    await vi.waitFor(async () => expect(await ended()).toBe(true), pollOptions);
    await awake.until((messages) => messages.filter(({ type }) => type === "heartbeat").length > 2);
    expect(awake.closed()).toBeNull();
    silent.ws.resume();
    expect((await silent.untilClosed()).code).toBe(1006);
    awake.ws.terminate();
  });

  it("C6-03 survives a connection that is cut in the middle of a frame, and one cut in the handshake", async () => {
    sendRaw(frame(text, Buffer.from("{")).subarray(0, 3));
    hostile.ws.terminate();
    await hostile.untilClosed();
    const { hostname, port } = new URL(site);
    const half = connect({ host: hostname, port: Number(port) });
    await new Promise<void>((resolve) => half.once("connect", resolve));
    half.write("GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n");
    half.destroy();
  });
});
