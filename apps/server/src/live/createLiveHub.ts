import type { Logger } from "pino";
import type { Clock } from "../clock.ts";
import { createDelivery, type Delivery, type FrameSink, joinFrames, type LiveReader } from "./createDelivery.ts";
import { type LiveFeed, maxLag } from "./createLiveFeed.ts";
import type { LiveFilter, LiveMessage } from "./liveMessage.ts";

export type LiveHub = ReturnType<typeof createLiveHub>;

/** A reader that stopped reading resumes where it was if it has missed no more than this, in ids. */
const slowReaderMaxLag = 1_000;
const retryMs = 250;
const idleMs = 15_000;

type HubOptions = {
  feed: LiveFeed;
  clock: Pick<Clock, "sleep">;
  log: Logger;
  /** Unread bytes above which a reader counts as slow. */
  bufferBytes: number;
  /** Counts what was written, for metrics. */
  count: { messages(number: number): void; snapshot(): void };
};

/**
 * Publishes the feed to many readers. Readers that are up to date get every message from the delivery to their group. A
 * reader that resumes with a cursor, or is slow, takes messages from the feed at its own pace until it is up to date:
 * nothing is queued for it beyond `bufferBytes` and one write.
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
    /** Comes before a connection's reader, and `leave` after it, once each. */
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

    /** The reader's connection has ended; `leave` is called as well. */
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

    /** The newest id that this process has published. */
    newest: () => delivery.cursor(),

    /** The id up to which a reader has everything; null without a subscription. */
    getPosition(reader: LiveReader): number | null {
      if (reader.filter === null) return null;
      delivery.flush(reader);
      return reader.group === null ? reader.cursor : delivery.cursor();
    },

    /**
     * Replaces a reader's subscription; null ends it.
     *
     * @param from - The reader gets what is after it. Left out: after its position, or after the newest for its first
     *   subscription.
     * @param confirm - Called before anything of the new subscription is written.
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
 * @returns Writes to a reader what it lacks, as fast as it reads, and joins it to its group when it is up to date.
 *   A reader that lags more than `maxMissed` ids gets a snapshot message instead.
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
        // Its cursor is of another process, which has read further.
        await delivery.nextDelivery();
      } else {
        try {
          const step = await feed.readAfter(reader.cursor);
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

/** Writes the messages that a reader lacks, up to those that the groups have. */
function writeMissed(reader: LiveReader, messages: readonly LiveMessage[], delivery: Delivery): void {
  const upTo = delivery.cursor();
  reader.cursor = Math.min(upTo, messages.at(-1)!.cursor);
  const frames = messages
    .filter((message) => message.cursor <= upTo && message.matches(reader.filter!))
    .map((message) => message.frame);
  if (frames.length > 0) delivery.write(reader, joinFrames(frames));
}
