import type { Logger } from "pino";
import type { Clock } from "../clock.ts";
import { createDelivery, type Delivery, type FrameSink, joinFrames, type LiveReader } from "./createDelivery.ts";
import { type LiveFeed, maxLag } from "./createLiveFeed.ts";
import type { LiveFilter, LiveMessage } from "./liveMessage.ts";

export type LiveHub = ReturnType<typeof createLiveHub>;

/** Maximum lag in ids after which a slow reader still resumes at its cursor. */
const slowReaderMaxLag = 1_000;
const retryMs = 250;
const idleMs = 15_000;

type HubOptions = {
  feed: LiveFeed;
  clock: Pick<Clock, "sleep">;
  log: Logger;
  /** A reader with more unread bytes is slow. */
  bufferBytes: number;
  /** Counts written messages and snapshots, for metrics. */
  count: { messages(number: number): void; snapshot(): void };
};

/**
 * Publishes the feed to many readers. Readers that are up to date get each message from the delivery to their group. A
 * reader that resumes with a cursor, or is slow, reads from the feed at its own pace until it is up to date. The queue
 * of such a reader never exceeds `bufferBytes` and one write.
 */
export function createLiveHub(options: HubOptions) {
  const { feed, clock, log } = options;
  const delivery = createDelivery({ ...options, onSlowReader: (reader) => void catchUp(reader, slowReaderMaxLag) });
  const catchUp = createCatchUp(options, delivery);
  let connections = 0;
  let running: AbortController | null = null;

  const run = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted && !feed.ended()) {
      try {
        const step = await feed.readAfter(delivery.cursor());
        if (signal.aborted) break;
        if (step.kind === "gap") delivery.skipTo(step.newest);
        else if (step.messages.length > 0) await delivery.deliver(step.messages, signal);
        else await feed.waitForMore(idleMs, signal);
      } catch (error) {
        log.warn({ err: error }, "live delivery failed");
        await clock.sleep(retryMs);
      }
    }
  };

  return {
    /** Registers a connection. Call `enter` once before its reader is created, and `leave` once after its end. */
    async enter(): Promise<void> {
      const newest = await feed.join();
      connections++;
      if (running !== null) return;
      running = new AbortController();
      delivery.startAt(newest);
      void run(running.signal);
    },

    leave(): void {
      connections--;
      if (connections === 0) {
        running?.abort();
        running = null;
      }
      feed.leave();
    },

    /** Removes a reader whose connection has ended. The caller also calls `leave`. */
    drop(reader: LiveReader): void {
      reader.subscription++;
      delivery.drop(reader);
    },

    createReader: (sink: FrameSink): LiveReader => ({
      sink,
      filter: null,
      cursor: 0,
      group: null,
      joinedDelivery: 0,
      lastDelivery: 0,
      subscription: 0,
    }),

    /** Returns the newest id that this process has published. */
    newest: () => delivery.cursor(),

    /** Returns the id up to which a reader has all messages; null without a subscription. */
    getPosition(reader: LiveReader): number | null {
      if (reader.filter === null) return null;
      delivery.flush(reader);
      return reader.group === null ? reader.cursor : delivery.cursor();
    },

    /**
     * Replaces a reader's subscription; null ends it.
     *
     * @param from - The reader gets the messages after this id. Default: the reader's position, or the newest id for
     *   the first subscription.
     * @param confirm - Called before the first message of the new subscription is written.
     */
    subscribe(
      reader: LiveReader,
      filter: LiveFilter | null,
      from: number | undefined,
      confirm: (cursor: number) => void,
    ): void {
      delivery.leaveGroup(reader);
      reader.cursor = from ?? (reader.filter === null ? delivery.cursor() : reader.cursor);
      reader.filter = filter;
      confirm(reader.cursor);
      if (filter === null) reader.subscription++;
      else void catchUp(reader, maxLag);
    },
  };
}

/**
 * Creates a function that writes missed messages to a reader, as fast as the reader reads, and adds the reader to its
 * group when it is up to date. A reader that lags more than `maxMissed` ids gets a snapshot message instead.
 */
function createCatchUp({ feed, clock, log, bufferBytes }: HubOptions, delivery: Delivery) {
  return async (reader: LiveReader, maxMissed: number): Promise<void> => {
    const subscription = ++reader.subscription;
    const isCurrent = () => reader.subscription === subscription && reader.sink.open() && !feed.ended();
    while (isCurrent()) {
      if (reader.sink.buffered() > bufferBytes) {
        await reader.sink.drained();
      } else if (delivery.cursor() - reader.cursor > maxMissed) {
        delivery.sendSnapshot(reader);
      } else if (reader.cursor === delivery.cursor()) {
        delivery.joinGroup(reader);
        return;
      } else if (reader.cursor > delivery.cursor()) {
        // The cursor is from another process, which has read further: waits for this process.
        await delivery.nextDelivery();
      } else {
        try {
          const step = await feed.readAfter(reader.cursor, isCurrent);
          if (!isCurrent()) return;
          if (step.kind === "gap") delivery.sendSnapshot(reader);
          else writeMissed(reader, step.messages, delivery);
        } catch (error) {
          log.warn({ err: error }, "live reader catch-up failed");
          await clock.sleep(retryMs);
        }
      }
    }
  };
}

/** Writes the messages that a reader missed, up to the delivery's cursor. */
function writeMissed(reader: LiveReader, messages: readonly LiveMessage[], delivery: Delivery): void {
  const upTo = delivery.cursor();
  reader.cursor = Math.min(upTo, messages.at(-1)!.cursor);
  const frames = messages
    .filter((message) => message.cursor <= upTo && message.matches(reader.filter!))
    .map((message) => message.frame);
  if (frames.length > 0) delivery.write(reader, joinFrames(frames));
}
