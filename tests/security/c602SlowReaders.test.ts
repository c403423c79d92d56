import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { percentile } from "../../bench/percentile.ts";
import type { SubscriberAccount } from "../support/security/createSubscriber.ts";
import { bearer, type LiveClient, openLive, pollOptions } from "../support/security/liveClient.ts";
import { type LiveService, startLiveService } from "../support/security/startLiveService.ts";
import { getVolume } from "../support/volume.ts";

const clients = getVolume(600, "LIVE_CLIENTS", 6);
const slowClients = Math.ceil(clients * 0.05);
const bufferBytes = 64 * 1024;
/** The maximum number of messages that the feed returns at once, and the maximum size of one trade's frame. */
const batchRows = 1_000;
const frameBytes = 1_000;
const busy = `0x${"b".repeat(40)}`;
const quiet = `0x${"a".repeat(40)}`;

let service: LiveService;
let site: string;
let subscriber: SubscriberAccount;

beforeAll(async () => {
  service = await startLiveService();
  ({ url: site } = await service.openServer({
    WS_BUFFER_BYTES: String(bufferBytes),
    // A client that does not read is not closed during the test.
    WS_HEARTBEAT_MS: "600000",
    MAX_CONNECTIONS: "10000",
  }));
  subscriber = await service.createSubscriber();
});
afterAll(() => service?.close());

async function unreadBytes(): Promise<number> {
  const text = await (await fetch(`${site}/metrics`)).text();
  return Number(/^slipway_websockets_unread_bytes (\S+)$/m.exec(text)![1]);
}

async function follow(token: string): Promise<LiveClient> {
  const client = await openLive(site, bearer(subscriber.key));
  client.send({ type: "subscribe_live", channels: ["trades"], tokens: [token] });
  await client.until((messages) => messages.length === 1);
  return client;
}

/** Not all at once: a burst of handshakes is another test. */
async function followAll(token: string, count: number): Promise<LiveClient[]> {
  const followers: LiveClient[] = [];
  while (followers.length < count) {
    const some = Array.from({ length: Math.min(20, count - followers.length) }, () => follow(token));
    followers.push(...(await Promise.all(some)));
  }
  return followers;
}

const getCursors = ({ messages }: LiveClient) =>
  messages.flatMap((message) => (message.type === "trade" ? [Number(message.cursor)] : []));

it(`C6-02 of ${clients} clients 5% stop reading: bounded memory, a snapshot, and the others receive everything meanwhile`, async () => {
  const readers = await followAll(quiet, clients - slowClients);
  const slow = await followAll(busy, slowClients);
  for (const { ws } of slow) ws.pause();

  // More than the operating system buffers for a connection whose other end does not read.
  const lost: number[] = [];
  for (let bytes = 0; bytes < 16_000_000 && (await unreadBytes()) < slowClients * bufferBytes; bytes += 2_000 * 600) {
    lost.push(...(await service.publishTrades(busy, 2_000)));
    await vi.waitFor(async () => expect(await readNewestCursor()).toBe(lost.at(-1)), pollOptions);
  }
  await vi.waitFor(async () => expect(await unreadBytes()).toBeGreaterThan(slowClients * bufferBytes), pollOptions);

  // They are stalled, and stay stalled while all others continue.
  const delays: number[] = [];
  const published: number[] = [];
  for (let n = 0; n < 10; n++) {
    const at = performance.now();
    const received = readers.map((reader) =>
      reader.until(() => getCursors(reader).length > n).then(() => delays.push(performance.now() - at)),
    );
    published.push(...(await service.publishTrades(quiet, 1)));
    await Promise.all(received);
  }
  for (const reader of readers) expect(getCursors(reader)).toEqual(published);
  // The stalled clients are still stalled: the others did not wait for them.
  const unread = await unreadBytes();
  expect(unread).toBeGreaterThan(slowClients * bufferBytes);
  expect(unread).toBeLessThan(slowClients * (bufferBytes + batchRows * frameBytes));
  const p99 = percentile(delays, 0.99);
  process.stdout.write(
    `C6-02: ${readers.length} readers beside ${slow.length} stalled: p99 delay ${p99.toFixed(0)} ms\n`,
  );

  // They read again: the queued messages, one message that some are missing, and all later messages.
  const more = await service.publishTrades(busy, 5_000);
  await vi.waitFor(async () => expect(await readNewestCursor()).toBe(more.at(-1)), pollOptions);
  for (const { ws } of slow) ws.resume();
  for (const client of slow) await client.until((messages) => messages.some(({ type }) => type === "snapshot"));
  const after = await service.publishTrades(busy, 3);
  for (const client of slow) {
    await client.until(() => getCursors(client).at(-1) === after.at(-1));
    const cursors = getCursors(client);
    expect(cursors).toEqual([...new Set(cursors)].sort((a, b) => a - b));
    const snapshot = client.messages.find((message) => message.type === "snapshot")!;
    const wanted = [...lost, ...more, ...after].filter((id) => id > Number(snapshot.cursor));
    expect(cursors.filter((id) => id > Number(snapshot.cursor))).toEqual(wanted);
    // There is no gap before it stopped, either.
    const before = cursors.filter((id) => id <= Number(snapshot.cursor));
    expect(before).toEqual([...lost, ...more].slice(0, before.length));
    expect(before.length).toBeLessThan(lost.length + more.length);
  }
  for (const { ws } of [...readers, ...slow]) ws.terminate();
});

/** Returns the newest cursor of the server, as received by a client that subscribes now. */
async function readNewestCursor(): Promise<number> {
  const client = await follow(quiet);
  const [subscribed] = client.messages;
  client.ws.terminate();
  return Number((subscribed as { cursor: string }).cursor);
}
