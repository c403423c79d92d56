import { expect, onTestFinished, test, vi } from "vitest";
import { headTime, toAddress, toHash } from "../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../tests/support/server/useReadApp.ts";
import type { FrameSink, LiveReader } from "./createDelivery.ts";
import { createLiveHub } from "./createLiveHub.ts";
import type { LiveFilter } from "./liveMessage.ts";

const fixture = useReadApp();
const waitOptions = { timeout: 60_000, interval: 5 };
const bufferBytes = 10_000;
const tokens = [toAddress(1), toAddress(2), toAddress(3)];

type Message = { type: string; cursor: string };
/** The confirmations and messages that a reader received, in order. */
type Entry = { confirmed: number; filter: LiveFilter } | { message: Message };

/** A connection whose other end reads only while `reading`. */
class TestSink implements FrameSink {
  entries: Entry[] = [];
  reading = true;
  unread = 0;
  isOpen = true;
  largest = 0;
  #drained = Promise.withResolvers<void>();

  open() {
    return this.isOpen;
  }
  write(frames: Buffer) {
    for (const text of getTexts(frames)) this.entries.push({ message: JSON.parse(text) as Message });
    if (!this.reading) this.unread += frames.length;
    this.largest = Math.max(this.largest, this.unread);
  }
  buffered() {
    return this.unread;
  }
  drained() {
    return this.unread === 0 ? Promise.resolve() : this.#drained.promise;
  }
  stop() {
    this.reading = false;
  }
  read() {
    this.reading = true;
    this.unread = 0;
    this.#drained.resolve();
    this.#drained = Promise.withResolvers();
  }
  cursors() {
    return this.entries.flatMap((entry) => ("message" in entry ? [Number(entry.message.cursor)] : []));
  }
}

/** The texts of unmasked text frames of less than 64 kB. */
function getTexts(frames: Buffer): string[] {
  const texts: string[] = [];
  for (let at = 0; at < frames.length; ) {
    const short = frames[at + 1]! & 127;
    const head = short < 126 ? 2 : 4;
    const length = short < 126 ? short : frames.readUInt16BE(at + 2);
    texts.push(frames.toString("utf8", at + head, at + head + length));
    at += head + length;
  }
  return texts;
}

const follow = (...followed: string[]): LiveFilter => ({
  tokens: followed.length === 0 ? null : new Set(followed),
  interval: "1m",
  names: new Set(["trade"]),
});

async function openHub() {
  const { deps } = fixture.read;
  const snapshots = { count: 0 };
  const hub = createLiveHub({
    feed: deps.liveFeed,
    clock: deps.clock,
    log: deps.log,
    bufferBytes,
    count: { messages: () => undefined, snapshot: () => snapshots.count++ },
  });
  const readers: { reader: LiveReader; sink: TestSink }[] = [];
  onTestFinished(() => {
    for (const { reader, sink } of readers) {
      sink.isOpen = false;
      hub.drop(reader);
      hub.leave();
    }
    deps.liveFeed.end();
  });
  const join = async () => {
    await hub.enter();
    const sink = new TestSink();
    const joined = { reader: hub.createReader(sink), sink };
    readers.push(joined);
    return joined;
  };
  const subscribe = ({ reader, sink }: (typeof readers)[number], filter: LiveFilter | null, from?: number) =>
    hub.subscribe(reader, filter, from, (confirmed) => {
      if (filter !== null) sink.entries.push({ confirmed, filter });
    });
  return { hub, join, subscribe, snapshots };
}

/** Commits one trade of each token, as the indexer does. @returns The outbox ids. */
async function publish(published: readonly string[]): Promise<number[]> {
  const { indexer } = fixture.database.db;
  const { rows } = await indexer.query<{ id: number }>(
    `with inserted as (
       insert into chain.outbox (block_number, kind, token, payload)
       select 1, 'trade', token, jsonb_build_object('address', token, 'token_id', 1, 'pool_price', 0.5, 'block_number', 1, 'log_index', 1, 'block_time', $2::int,
         'eth_usd', 2000, 'maker', token, 'recipient', token, 'is_buy', true, 'tx_hash', $3::text,
         'token_amount', '2', 'quote_amount', '1')
       from unnest($1::text[]) with ordinality t (token, n) order by n returning id)
     select id from inserted order by id`,
    [published, headTime, toHash(1)],
  );
  await indexer.query("select pg_notify('slipway_outbox', '')");
  return rows.map(({ id }) => id);
}

test("a delivery over several turns of the event loop sends each message once, also after a change of subscription", async () => {
  const { join, subscribe } = await openHub();
  const a = tokens[0]!;
  const b = tokens[1]!;
  // More readers than writes per turn of the event loop.
  const all = await Promise.all(Array.from({ length: 700 }, join));
  for (const one of all) subscribe(one, follow(a));
  const first = await publish([a]);
  await vi.waitFor(() => expect(all[0]!.sink.cursors()).toEqual(first), waitOptions);
  // The first readers have the message, the last do not. Half of the readers now follow another token too, some none.
  const changed = all.filter((_, index) => index % 2 === 0);
  for (const one of changed) subscribe(one, follow(a, b));
  const quiet = all.filter((_, index) => index % 7 === 1);
  for (const one of quiet) subscribe(one, null);
  const second = await publish([b, a]);
  const rest = all.filter((one) => !quiet.includes(one));
  await vi.waitFor(() => {
    for (const { sink } of rest) expect(sink.cursors().at(-1)).toBe(second[1]);
  }, waitOptions);
  for (const one of rest)
    expect(one.sink.cursors()).toEqual([...first, ...(changed.includes(one) ? second : [second[1]])]);
  for (const { sink } of quiet) expect(sink.cursors()).toEqual(first);
});

test("a reader whose cursor is ahead of this process gets no message twice", async () => {
  const { hub, join, subscribe } = await openHub();
  const one = await join();
  const ids = await publish([tokens[0]!, tokens[0]!, tokens[0]!]);
  const ahead = await join();
  // As if another process had already sent the second message.
  subscribe(ahead, follow(), ids[1]!);
  subscribe(one, follow(), 0);
  await vi.waitFor(() => expect(hub.newest()).toBe(ids[2]), waitOptions);
  await vi.waitFor(() => expect(ahead.sink.cursors()).toEqual([ids[2]]), waitOptions);
  await vi.waitFor(() => expect(one.sink.cursors()).toEqual(ids), waitOptions);
});

test("a reader misses no message after a short pause, and gets a snapshot message after a long pause", async () => {
  const { hub, join, subscribe, snapshots } = await openHub();
  const one = await join();
  subscribe(one, follow());
  one.sink.stop();
  const few = await publish(Array.from({ length: 300 }, () => tokens[0]!));
  await vi.waitFor(() => expect(hub.newest()).toBe(few.at(-1)), waitOptions);
  const later = await publish(Array.from({ length: 200 }, () => tokens[0]!));
  await vi.waitFor(() => expect(hub.newest()).toBe(later.at(-1)), waitOptions);
  expect(one.sink.cursors()).toEqual(few);
  one.sink.read();
  await vi.waitFor(() => expect(one.sink.cursors()).toEqual([...few, ...later]), waitOptions);
  expect(snapshots.count).toBe(0);
  one.sink.stop();
  const many = await publish(Array.from({ length: 3_500 }, () => tokens[0]!));
  await vi.waitFor(() => expect(hub.newest()).toBe(many.at(-1)), waitOptions);
  one.sink.read();
  await vi.waitFor(() => expect(one.sink.cursors().at(-1)).toBe(many.at(-1)), waitOptions);
  expect(snapshots.count).toBe(1);
  expect(one.sink.entries.at(-1)).toMatchObject({ message: { type: "snapshot" } });
});

test("each reader gets exactly its subscribed messages, in order, after any sequence of actions", async () => {
  const { hub, join, subscribe } = await openHub();
  let state = 7;
  const below = (bound: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % bound;
  };
  const all = await Promise.all(Array.from({ length: 40 }, join));
  const published: { id: number; token: string }[] = [];
  for (let round = 0; round < 60; round++) {
    const batch = Array.from({ length: 1 + below(30) }, () => tokens[below(3)]!);
    const ids = await publish(batch);
    published.push(...ids.map((id, index) => ({ id, token: batch[index]! })));
    for (const one of all) {
      const choice = below(8);
      if (choice === 0) subscribe(one, below(2) === 0 ? follow() : follow(...tokens.slice(below(3))));
      if (choice === 1) subscribe(one, follow(tokens[below(3)]!), published[below(published.length)]!.id);
      if (choice === 2) subscribe(one, null);
      if (choice === 3) one.sink.stop();
      if (choice >= 6) one.sink.read();
    }
    if (below(3) === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  for (const { sink } of all) sink.read();
  const last = (await publish([tokens[0]!]))[0]!;
  published.push({ id: last, token: tokens[0]! });
  await vi.waitFor(() => {
    for (const { reader } of all) expect(hub.getPosition(reader) ?? last).toBe(last);
  }, waitOptions);
  for (const { reader, sink } of all) expectExact(sink.entries, published, reader.filter === null);
});

/** Compares a reader's messages with all published messages. */
function expectExact(entries: Entry[], published: { id: number; token: string }[], ended: boolean): void {
  let filter: LiveFilter | null = null;
  let position = 0;
  const next = () =>
    published.find(({ id, token }) => id > position && (filter!.tokens === null || filter!.tokens.has(token)))?.id;
  for (const entry of entries) {
    if ("confirmed" in entry) {
      filter = entry.filter;
      position = entry.confirmed;
    } else if (entry.message.type === "snapshot") {
      expect(Number(entry.message.cursor)).toBeGreaterThan(position);
      position = Number(entry.message.cursor);
    } else {
      expect(Number(entry.message.cursor)).toBe(next());
      position = Number(entry.message.cursor);
    }
  }
  if (!ended) expect(next()).toBeUndefined();
}
