import { createSubscriptionGroups, type Group } from "./createSubscriptionGroups.ts";
import type { LiveFilter, LiveMessage } from "./liveMessage.ts";
import { textFrame } from "./textFrame.ts";

/** Where the frames of one reader go. */
export type FrameSink = {
  open(): boolean;
  write(frames: Buffer): void;
  /** Bytes written that the operating system has not taken yet. */
  buffered(): number;
  /** Resolves when it has taken all of them, or the connection has ended. */
  drained(): Promise<void>;
};

/** One reader; made by `createReader`, its fields belong to the hub. */
export type LiveReader = {
  sink: FrameSink;
  filter: LiveFilter | null;
  /** All messages up to it are delivered or omitted; of a reader in a group, the delivery's own cursor is valid. */
  cursor: number;
  group: Group<LiveReader> | null;
  /** The delivery during which it joined its group: it has those messages already. */
  joinedDelivery: number;
  /** The last delivery whose messages were written to it. */
  lastDelivery: number;
  /** Counts its subscriptions, so that the catch-up of an earlier one stops. */
  subscription: number;
};

/** The frames of some messages as one write. */
export type Frames = { bytes: Buffer; messages: number };

export type Delivery = ReturnType<typeof createDelivery>;

/** Writes between two turns of the event loop. */
const writesPerTurn = 256;

/**
 * Delivers batches of messages to readers in groups. A message is serialized and framed once; readers with the same
 * subscription get the same bytes, all of a batch in one write.
 *
 * @param options.onSlowReader - Called for a reader that left its group because it has more than `bufferBytes` unread.
 * @param options.count - Counts what was written, for metrics.
 */
export function createDelivery(options: {
  bufferBytes: number;
  onSlowReader: (reader: LiveReader) => void;
  count: { messages(number: number): void; snapshot(): void };
}) {
  const { bufferBytes, onSlowReader, count } = options;
  const groups = createSubscriptionGroups<LiveReader>();
  /** The last id that was delivered, or is being delivered. */
  let cursor = 0;
  /** The delivery in progress: the frames of each group, to each reader once. */
  let current = { number: 0, frames: new Map<Group<LiveReader>, Frames>() };
  let advanced = Promise.withResolvers<void>();

  const write = (reader: LiveReader, frames: Frames) => {
    reader.sink.write(frames.bytes);
    count.messages(frames.messages);
  };

  /** Writes a reader's frames of the current delivery, unless it has them. @returns Whether it wrote. */
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

  /** Takes a reader out of its group; all messages up to its cursor are then delivered. */
  const leaveGroup = (reader: LiveReader) => {
    if (reader.group === null) return;
    flush(reader);
    // Flushing may have found it slow.
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

    /** Puts a reader into the group of its filter; all up to the delivery's cursor must be delivered to it. */
    joinGroup(reader: LiveReader): void {
      reader.group = groups.add(reader.filter!, reader);
      reader.joinedDelivery = current.number;
    },

    /** Drops a reader whose connection has ended. */
    drop(reader: LiveReader): void {
      if (reader.group !== null) groups.remove(reader.group, reader);
      reader.group = null;
    },

    startAt(newest: number): void {
      cursor = newest;
    },

    /** Messages up to an id are gone before they were read. */
    skipTo(newest: number): void {
      const readers = groups.members();
      cursor = newest;
      for (const reader of readers) sendSnapshot(reader);
    },

    /** Delivers the next messages to all groups that they match. */
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
