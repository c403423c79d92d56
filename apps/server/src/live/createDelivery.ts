import { createSubscriptionGroups, type Group } from "./createSubscriptionGroups.ts";
import type { LiveFilter, LiveMessage } from "./liveMessage.ts";
import { textFrame } from "./textFrame.ts";

/** The output of one reader's frames. */
export type FrameSink = {
  open(): boolean;
  write(frames: Buffer): void;
  /** Written bytes that the operating system has not accepted yet. */
  buffered(): number;
  /** Resolves when the operating system has accepted all bytes, or the connection has ended. */
  drained(): Promise<void>;
};

/** One reader, created by `createReader`. Only the hub changes its fields. */
export type LiveReader = {
  sink: FrameSink;
  filter: LiveFilter | null;
  /** All messages up to this id are delivered or omitted. Not used in a group, where the delivery's cursor applies. */
  cursor: number;
  group: Group<LiveReader> | null;
  /** The delivery during which the reader joined its group. The reader already has that delivery's messages. */
  joinedDelivery: number;
  /** The last delivery whose messages were written to the reader. */
  lastDelivery: number;
  /** Number of subscriptions so far. A change stops the catch-up of an earlier subscription. */
  subscription: number;
};

/** The frames of several messages, joined for one write. */
export type Frames = { bytes: Buffer; messages: number };

export type Delivery = ReturnType<typeof createDelivery>;

/** Number of writes per turn of the event loop. */
const writesPerTurn = 256;

/**
 * Creates a delivery of message batches to readers in groups. Serializes and frames a message once. Readers with the
 * same subscription get the same bytes, one write per batch.
 *
 * @param options.onSlowReader - Called for a reader that left its group because it has more than `bufferBytes` unread.
 * @param options.count - Counts written messages and snapshots, for metrics.
 */
export function createDelivery(options: {
  bufferBytes: number;
  onSlowReader: (reader: LiveReader) => void;
  count: { messages(number: number): void; snapshot(): void };
}) {
  const { bufferBytes, onSlowReader, count } = options;
  const groups = createSubscriptionGroups<LiveReader>();
  /** The id of the last message that was or is being delivered. */
  let cursor = 0;
  /** The delivery in progress: its number, and the frames of each group. */
  let current = { number: 0, frames: new Map<Group<LiveReader>, Frames>() };
  let advanced = Promise.withResolvers<void>();

  const write = (reader: LiveReader, frames: Frames) => {
    reader.sink.write(frames.bytes);
    count.messages(frames.messages);
  };

  /** Writes a reader's frames of the current delivery, unless the reader has them. @returns Whether it wrote. */
  const flush = (reader: LiveReader): boolean => {
    const frames = reader.group === null ? undefined : current.frames.get(reader.group);
    if (frames === undefined) return false;
    if (reader.joinedDelivery === current.number || reader.lastDelivery === current.number) return false;
    reader.lastDelivery = current.number;
    write(reader, frames);
    if (reader.sink.buffered() > bufferBytes) {
      leaveGroup(reader);
      onSlowReader(reader);
    }
    return true;
  };

  /** Removes a reader from its group. All messages up to the reader's cursor are delivered afterwards. */
  const leaveGroup = (reader: LiveReader) => {
    if (reader.group === null) return;
    flush(reader);
    // `flush` removes a slow reader from its group.
    if (reader.group === null) return;
    groups.remove(reader.group, reader);
    reader.group = null;
    reader.cursor = cursor;
  };

  const sendSnapshot = (reader: LiveReader) => {
    reader.cursor = cursor;
    reader.sink.write(textFrame(`{"type":"snapshot","cursor":"${cursor}","data":{"reason":"slow_reader"}}`));
    count.snapshot();
  };

  return {
    cursor: () => cursor,
    write,
    flush,
    leaveGroup,
    sendSnapshot,

    /** Resolves at the next delivery. */
    nextDelivery: () => advanced.promise,

    /** Adds a reader to the group of its filter. The reader must have all messages up to the delivery's cursor. */
    joinGroup(reader: LiveReader): void {
      reader.group = groups.add(reader.filter!, reader);
      reader.joinedDelivery = current.number;
    },

    /** Removes a reader whose connection has ended. */
    drop(reader: LiveReader): void {
      if (reader.group !== null) groups.remove(reader.group, reader);
      reader.group = null;
    },

    startAt(newest: number): void {
      cursor = newest;
    },

    /** Skips pruned messages up to an id, and sends a snapshot message to all readers in groups. */
    skipTo(newest: number): void {
      const readers = groups.members();
      cursor = newest;
      for (const reader of readers) sendSnapshot(reader);
    },

    /** Delivers the next messages to all matching groups. */
    async deliver(messages: readonly LiveMessage[], signal: AbortSignal): Promise<void> {
      const frames = toGroupFrames(messages, (message) => groups.matching(message));
      cursor = messages.at(-1)!.cursor;
      current = { number: current.number + 1, frames };
      advanced.resolve();
      advanced = Promise.withResolvers();

      let writes = 0;
      for (const group of frames.keys()) {
        for (const reader of [...group.members]) {
          if (reader.group !== group || !flush(reader)) continue;
          if (++writes % writesPerTurn === 0) await yieldToEventLoop();
          if (signal.aborted) return;
        }
      }
      frames.clear();
    },
  };
}

function toGroupFrames(
  messages: readonly LiveMessage[],
  matching: (message: LiveMessage) => Iterable<Group<LiveReader>>,
): Map<Group<LiveReader>, Frames> {
  const byGroup = new Map<Group<LiveReader>, Buffer[]>();
  for (const message of messages) {
    for (const group of matching(message)) {
      const frames = byGroup.get(group);
      if (frames === undefined) byGroup.set(group, [message.frame]);
      else frames.push(message.frame);
    }
  }
  return new Map([...byGroup].map(([group, frames]) => [group, joinFrames(frames)]));
}

/** @param frames - At least one. */
export function joinFrames(frames: readonly Buffer[]): Frames {
  return { bytes: frames.length === 1 ? frames[0]! : Buffer.concat(frames), messages: frames.length };
}

async function yieldToEventLoop(): Promise<void> {
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
}
