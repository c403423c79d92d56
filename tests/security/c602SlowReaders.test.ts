import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { percentile } from "../../bench/percentile.ts";
import type { SubscriberAccount } from "../support/security/createSubscriber.ts";
import { bearer, type LiveClient, openLive, patiently } from "../support/security/liveClient.ts";
import { type LiveGround, startLiveGround } from "../support/security/startLiveGround.ts";

/** 1,000 on demand. */
const clients = Number(process.env.LIVE_CLIENTS ?? 300);
const slowClients = Math.ceil(clients * 0.05);
const bufferBytes = 64 * 1024;
/** What the feed hands out at once, at the most; and a bound of one trade's frame. */
const [rowsAtOnce, frameBytes] = [1_000, 1_000];
const [busy, quiet] = [`0x${"b".repeat(40)}`, `0x${"a".repeat(40)}`];

let ground: LiveGround;
let site: string;
let subscriber: SubscriberAccount;

beforeAll(async () => {
  ground = await startLiveGround();
  ({ url: site } = await ground.openServer({
    WS_BUFFER_BYTES: String(bufferBytes),
    // Who reads nothing is not ended while the test looks at him.
    WS_HEARTBEAT_MS: "600000",
    MAX_CONNECTIONS: "10000",
  }));
  subscriber = await ground.createSubscriber();
});
afterAll(() => ground?.close());

async function unreadBytes(): Promise<number> {
  const text = await (await fetch(`${site}/metrics`)).text();
  return Number(/^slipway_websockets_unread_bytes (\S+)$/m.exec(text)![1]);
}

async function follow(token: string): Promise<LiveClient> {
  const client = await openLive(site, bearer(subscriber.key));
  client.say({ type: "subscribe_live", channels: ["trades"], tokens: [token] });
  await client.until((messages) => messages.length === 1);
  return client;
}

/** Not all at once: how a crowd of handshakes fares is another question. */
async function followAll(token: string, count: number): Promise<LiveClient[]> {
  const followers: LiveClient[] = [];
  while (followers.length < count) {
    const some = Array.from({ length: Math.min(20, count - followers.length) }, () => follow(token));
    followers.push(...(await Promise.all(some)));
  }
  return followers;
}

const cursorsOf = ({ messages }: LiveClient) =>
  messages.flatMap((message) => (message.type === "trade" ? [Number(message.cursor)] : []));

it(`C6-02 of ${clients} clients 5% stop reading: bounded memory, a snapshot, and the others hear everything at once`, async () => {
  const readers = await followAll(quiet, clients - slowClients);
  const slow = await followAll(busy, slowClients);
  for (const { ws } of slow) ws.pause();

  // More than the operating system takes for a connection whose other end does not read.
  const lost: number[] = [];
  for (let bytes = 0; bytes < 16_000_000 && (await unreadBytes()) < slowClients * bufferBytes; bytes += 2_000 * 600) {
    lost.push(...(await ground.tellTrades(busy, 2_000)));
    await vi.waitFor(async () => expect(await newestTold()).toBe(lost.at(-1)), patiently);
  }
  await vi.waitFor(async () => expect(await unreadBytes()).toBeGreaterThan(slowClients * bufferBytes), patiently);

  // They are stalled, and stay so while everybody else goes on.
  const delays: number[] = [];
  const told: number[] = [];
  for (let n = 0; n < 10; n++) {
    const at = performance.now();
    const heard = readers.map((reader) =>
      reader.until(() => cursorsOf(reader).length > n).then(() => delays.push(performance.now() - at)),
    );
    told.push(...(await ground.tellTrades(quiet, 1)));
    await Promise.all(heard);
  }
  for (const reader of readers) expect(cursorsOf(reader)).toEqual(told);
  // The stalled clients are stalled still: the others did not wait for them.
  const unread = await unreadBytes();
  expect(unread).toBeGreaterThan(slowClients * bufferBytes);
  expect(unread).toBeLessThan(slowClients * (bufferBytes + rowsAtOnce * frameBytes));
  const p99 = percentile(delays, 0.99);
  process.stdout.write(
    `C6-02: ${readers.length} readers beside ${slow.length} stalled: p99 delay ${p99.toFixed(0)} ms\n`,
  );

  // They read again: what was queued, one message that something is missing, and everything after it.
  const more = await ground.tellTrades(busy, 5_000);
  await vi.waitFor(async () => expect(await newestTold()).toBe(more.at(-1)), patiently);
  for (const { ws } of slow) ws.resume();
  for (const client of slow) await client.until((messages) => messages.some(({ type }) => type === "snapshot"));
  const after = await ground.tellTrades(busy, 3);
  for (const client of slow) {
    await client.until(() => cursorsOf(client).at(-1) === after.at(-1));
    const cursors = cursorsOf(client);
    expect(cursors).toEqual([...new Set(cursors)].sort((a, b) => a - b));
    const snapshot = client.messages.find((message) => message.type === "snapshot")!;
    const wanted = [...lost, ...more, ...after].filter((id) => id > Number(snapshot.cursor));
    expect(cursors.filter((id) => id > Number(snapshot.cursor))).toEqual(wanted);
    // Until it stopped there is no gap either.
    const before = cursors.filter((id) => id <= Number(snapshot.cursor));
    expect(before).toEqual([...lost, ...more].slice(0, before.length));
    expect(before.length).toBeLessThan(lost.length + more.length);
  }
  for (const { ws } of [...readers, ...slow]) ws.terminate();
});

/** How far the server is, as a client that joins now is told. */
async function newestTold(): Promise<number> {
  const client = await follow(quiet);
  const [subscribed] = client.messages;
  client.ws.terminate();
  return Number((subscribed as { cursor: string }).cursor);
}
