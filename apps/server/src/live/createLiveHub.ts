import type { Logger } from "pino";
import type { Clock } from "../clock.ts";
import { type LiveFeed, tooFarBehind } from "./createLiveFeed.ts";
import type { OutboxRow } from "./queries.ts";
import { concerns, type LiveFilter, toLiveEvent } from "./liveMessage.ts";
import { rowFrame, snapshotFrame } from "./textFrame.ts";
import { createSubscriptionGroups, type Group } from "./createSubscriptionGroups.ts";

/** Where frames of one reader go. */
export type FrameSink = {
  open(): boolean;
  write(frames: Buffer): void;
  /** Bytes written that the operating system has not taken yet. */
  buffered(): number;
  /** Resolves when it has taken them all, or the connection has ended. */
  drained(): Promise<void>;
};

/** One reader; made by `createReader`, its fields belong to the hub. */
export type LiveReader = {
  sink: FrameSink;
  filter: LiveFilter | null;
  /** Everything up to it was told or left out; of a reader in a group, the hub's own cursor is. */
  cursor: number;
  group: Group<LiveReader> | null;
  /** The delivery that it joined its group in: that one it has had already. */
  joinedIn: number;
  /** The last delivery that was handed to it. */
  handed: number;
  /** Counts its subscriptions: what an earlier one began stops. */
  turn: number;
};

export type LiveHub = ReturnType<typeof createLiveHub>;

/** A reader that stopped reading goes on where it was if it has missed no more than this; in ids. */
const slowReaderMisses = 1_000;
/** Writes between two turns of the event loop. */
const writesAtOnce = 256;
const retryMs = 250;
const idleMs = 15_000;

/** What goes out now: the part of each group that is concerned, to each reader once. */
type Delivery = { number: number; parts: Map<Group<LiveReader>, { bytes: Buffer; messages: number }> };

/**
 * Tells many readers what the feed says. A row is read, worded and framed once; readers with the same subscription get
 * the same bytes, all of a commit in one write. A reader that comes back with a cursor, or has not kept up, takes rows
 * from the feed at its own pace until it has reached the others: nothing is queued for it beyond `bufferBytes` and one
 * write.
 */
export function createLiveHub(options: {
  feed: LiveFeed;
  clock: Pick<Clock, "sleep">;
  log: Logger;
  bufferBytes: number;
  /** Told of what went out, for metrics. */
  count: { messages(number: number): void; snapshot(): void };
}) {
  const { feed, clock, log, bufferBytes, count } = options;
  const groups = createSubscriptionGroups<LiveReader>();
  let readers = 0;
  let looking: AbortController | null = null;
  /** The last id that was delivered, or is being delivered. */
  let cursor = 0;
  let delivery: Delivery = { number: 0, parts: new Map() };
  let advanced = Promise.withResolvers<void>();

  /** Gives a reader its part of the delivery that goes on, unless it has had it. */
  const hand = (reader: LiveReader): boolean => {
    const part = reader.group === null ? undefined : delivery.parts.get(reader.group);
    if (part === undefined || reader.joinedIn === delivery.number || reader.handed === delivery.number) return false;
    reader.handed = delivery.number;
    reader.sink.write(part.bytes);
    count.messages(part.messages);
    if (reader.sink.buffered() > bufferBytes) {
      detach(reader);
      void catchUp(reader, slowReaderMisses);
    }
    return true;
  };

  /** Takes a reader out of its group; all up to its cursor has then been told. */
  const detach = (reader: LiveReader) => {
    if (reader.group === null) return;
    hand(reader);
    if (reader.group === null) return;
    groups.remove(reader.group, reader);
    reader.group = null;
    reader.cursor = cursor;
  };

  const attach = (reader: LiveReader) => {
    reader.group = groups.add(reader.filter!, reader);
    reader.joinedIn = delivery.number;
  };

  const giveSnapshot = (reader: LiveReader) => {
    reader.cursor = cursor;
    reader.sink.write(snapshotFrame(cursor));
    count.snapshot();
  };

  /**
   * Tells a reader what it has yet to hear, as fast as it reads, and puts it into its group when that is all.
   *
   * @param mostMisses - Who is further behind gets a snapshot message instead.
   */
  const catchUp = async (reader: LiveReader, mostMisses: number): Promise<void> => {
    const turn = ++reader.turn;
    const goesOn = () => reader.turn === turn && reader.sink.open() && !feed.ended();
    while (goesOn()) {
      if (reader.sink.buffered() > bufferBytes) {
        await reader.sink.drained();
      } else if (cursor - reader.cursor > mostMisses) {
        giveSnapshot(reader);
      } else if (reader.cursor === cursor) {
        attach(reader);
        return;
      } else if (reader.cursor > cursor) {
        // Its cursor is of another process, which has heard of more.
        await advanced.promise;
      } else {
        try {
          const step = await feed.after(reader.cursor);
          if (!goesOn()) return;
          if (step.kind === "behind") giveSnapshot(reader);
          else tell(reader, step.rows);
        } catch (error) {
          log.warn({ err: error }, "a live reader cannot catch up");
          await clock.sleep(retryMs);
        }
      }
    }
  };

  /** The rows of a step, but none that the groups have not had. */
  const tell = (reader: LiveReader, rows: readonly OutboxRow[]) => {
    const frames: Buffer[] = [];
    reader.cursor = Math.min(cursor, rows.at(-1)!.id);
    for (const row of rows) {
      if (row.id > cursor) break;
      const event = toLiveEvent(row);
      if (event !== null && concerns(event, reader.filter!)) frames.push(rowFrame(row, event));
    }
    if (frames.length === 0) return;
    const part = partOf(frames);
    reader.sink.write(part.bytes);
    count.messages(part.messages);
  };

  const deliver = async (rows: readonly OutboxRow[], signal: AbortSignal): Promise<void> => {
    const byGroup = new Map<Group<LiveReader>, Buffer[]>();
    for (const row of rows) {
      const event = toLiveEvent(row);
      if (event === null) continue;
      const frame = rowFrame(row, event);
      for (const group of groups.concernedBy(event)) {
        const frames = byGroup.get(group);
        if (frames === undefined) byGroup.set(group, [frame]);
        else frames.push(frame);
      }
    }
    cursor = rows.at(-1)!.id;
    const parts = new Map([...byGroup].map(([group, frames]) => [group, partOf(frames)]));
    delivery = { number: delivery.number + 1, parts };
    advanced.resolve();
    advanced = Promise.withResolvers();

    let writes = 0;
    for (const group of parts.keys()) {
      for (const reader of [...group.members]) {
        if (reader.group !== group || !hand(reader)) continue;
        if (++writes % writesAtOnce === 0) await nextTurn();
        if (signal.aborted) return;
      }
    }
    parts.clear();
  };

  /** Rows up to an id are gone before they were read. */
  const skipTo = (newest: number) => {
    const missed = groups.members();
    cursor = newest;
    for (const reader of missed) giveSnapshot(reader);
  };

  const run = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted && !feed.ended()) {
      try {
        const step = await feed.after(cursor);
        if (signal.aborted) break;
        if (step.kind === "behind") skipTo(step.newest);
        else if (step.rows.length > 0) await deliver(step.rows, signal);
        else await feed.more(idleMs, signal);
      } catch (error) {
        log.warn({ err: error }, "the live hub cannot read on");
        await clock.sleep(retryMs);
      }
    }
  };

  return {
    /** Comes before a connection's reader, and `leave` after it, once each. */
    async enter(): Promise<void> {
      const newest = await feed.join();
      readers++;
      if (looking !== null) return;
      looking = new AbortController();
      cursor = newest;
      void run(looking.signal);
    },

    leave(): void {
      readers--;
      if (readers === 0) {
        looking?.abort();
        looking = null;
      }
      feed.leave();
    },

    /** The reader's connection has ended; `leave` is called beside it. */
    drop(reader: LiveReader): void {
      reader.turn++;
      if (reader.group !== null) groups.remove(reader.group, reader);
      reader.group = null;
    },

    createReader: (sink: FrameSink): LiveReader => ({
      ...{ sink, filter: null, cursor: 0, group: null, joinedIn: 0, handed: 0, turn: 0 },
    }),

    /** The newest id that this process tells of. */
    newest: () => cursor,

    /** Up to where a reader has been told everything; null without a subscription. */
    positionOf(reader: LiveReader): number | null {
      if (reader.filter === null) return null;
      hand(reader);
      return reader.group === null ? reader.cursor : cursor;
    },

    /**
     * Replaces a reader's subscription; null ends it.
     *
     * @param from - What is after it is told. Left out: where the reader is, or the newest at its first subscription.
     * @param confirm - Called before anything of the new subscription is written.
     */
    subscribe(
      reader: LiveReader,
      filter: LiveFilter | null,
      from: number | undefined,
      confirm: (cursor: number) => void,
    ): void {
      detach(reader);
      reader.cursor = from ?? (reader.filter === null ? cursor : reader.cursor);
      reader.filter = filter;
      confirm(reader.cursor);
      if (filter === null) reader.turn++;
      else void catchUp(reader, tooFarBehind);
    },
  };
}

function partOf(frames: readonly Buffer[]) {
  return { bytes: frames.length === 1 ? frames[0]! : Buffer.concat(frames), messages: frames.length };
}

async function nextTurn(): Promise<void> {
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
}
