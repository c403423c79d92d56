import type { Logger } from "pino";
import type { Clock } from "../clock.ts";
import { createPoller } from "../createPoller.ts";
import type { Queryable } from "../db/database.ts";
import { createMissedReads } from "./createMissedReads.ts";
import { LiveMessage } from "./liveMessage.ts";
import { getNewestOutboxId, getOutboxRange, listOutboxEvents, mayHavePrunedRows } from "./queries.ts";

/** Number of messages kept in memory for readers that lag slightly. Other readers read from the database. */
const retainedMessages = 10_000;
const batchSize = 1_000;
/** Maximum lag in ids. A reader with more lag gets a snapshot message instead of the missed messages. */
export const maxLag = 50_000;
/** Interval of polls without a notification. */
const pollMs = 250;

/** The next result for a reader: messages after its cursor, or a gap because such messages were deleted. */
export type FeedStep = { kind: "messages"; messages: readonly LiveMessage[] } | { kind: "gap"; newest: number };

export type LiveFeed = ReturnType<typeof createLiveFeed>;

/**
 * Creates a stream of the outbox for many readers. Each process reads a row once, not once per reader. A reader
 * requests the messages after its cursor and waits for more, so that a slow reader costs no memory. The feed polls the
 * outbox only while it has readers.
 *
 * @param options.listen - Starts calling `wake` after commits; see `listenToOutbox`.
 * @param options.prepareDelivery - Called with an outbox id before readers receive messages up to it: the process's
 *   cached responses must not be older than a message that a client has received. If it fails, the feed tries again.
 */
export function createLiveFeed(options: {
  db: Queryable;
  clock: Pick<Clock, "sleep">;
  log: Logger;
  listen: (wake: () => void) => { stop(): Promise<void> };
  prepareDelivery: (newest: number) => Promise<void>;
}) {
  const { db, clock, log, prepareDelivery } = options;
  /** Null without readers. */
  let retained: RetainedMessages | null = null;
  let opening: Promise<number> | null = null;
  let readers = 0;
  let ended = false;
  /** Ends the polling; null without readers. */
  let polling: { stop(): Promise<void> } | null = null;
  let waiting = Promise.withResolvers<void>();
  const readMissed = createMissedReads({
    clock,
    read: async (cursor, limit) => {
      const messages = await readMessages(db, cursor, limit);
      // Read after the messages, so that rows pruned in between do not count as delivered.
      return { messages, oldest: (await getOutboxRange(db))?.oldest ?? null };
    },
  });

  /** Reads one batch. @returns Whether more rows may follow. */
  const poll = async (signal: AbortSignal): Promise<boolean> => {
    const { newest } = retained!;
    const { messages, missed } = await readBatch({ db, log, newest, prepareDelivery });
    if (signal.aborted || messages.length === 0) return false;
    // Readers before the gap are notified by `readAfter`.
    if (missed) retained!.dropBefore(messages[0]!.cursor);
    retained!.add(messages);
    waiting.resolve();
    waiting = Promise.withResolvers();
    return messages.length === batchSize;
  };

  const open = async () => {
    const newest = await getNewestOutboxId(db);
    await prepareDelivery(newest);
    return newest;
  };

  const startPolling = () => {
    const poller = createPoller({ clock, run: async (signal) => ((await poll(signal)) ? 0 : pollMs) });
    const listener = options.listen(poller.wake);
    return {
      stop: async () => {
        await Promise.all([poller.stop(), listener.stop()]);
      },
    };
  };

  return {
    /** Adds a reader. @returns The newest id. The reader gets the messages after that id. */
    async join(): Promise<number> {
      readers++;
      try {
        if (retained === null) {
          // Shared, because many readers join at once after a restart.
          opening ??= open().finally(() => {
            opening = null;
          });
          const newest = await opening;
          retained ??= new RetainedMessages(newest);
        }
      } catch (error) {
        readers--;
        throw error;
      }
      if (!ended) polling ??= startPolling();
      return retained.newest;
    },

    /** Removes a reader. Ends the polling after the last reader. */
    leave(): void {
      readers--;
      if (readers > 0) return;
      void polling?.stop();
      polling = null;
      retained = null;
    },

    /**
     * Returns the messages after a cursor, oldest first, from memory or from the database.
     *
     * @param isWanted - Whether the reader still wants them; otherwise there may be none.
     */
    async readAfter(cursor: number, isWanted: () => boolean = () => true): Promise<FeedStep> {
      const known = retained!;
      const messages = known.after(cursor);
      if (messages !== null) return { kind: "messages", messages };
      const missed = await readMissed(cursor, isWanted);
      if (missed === null) return { kind: "messages", messages: [] };
      // Ids also have gaps. A reader before a gap may get an unneeded snapshot message, but misses no message.
      const isMissed = missed.oldest === null || cursor < missed.oldest - 1;
      if (isMissed) return { kind: "gap", newest: known.newest };
      // Newer messages follow when their delivery is prepared.
      return { kind: "messages", messages: missed.messages.filter((message) => message.cursor <= known.newest) };
    },

    /** Lag of a reader at this cursor, in ids, which have gaps. */
    lag: (cursor: number) => (retained === null ? 0 : retained.newest - cursor),

    newest: () => retained?.newest ?? 0,

    /** Resolves when new messages arrive, after `milliseconds`, or when the feed ends. */
    async waitForMore(milliseconds: number, signal: AbortSignal): Promise<void> {
      if (ended || signal.aborted) return;
      const pause = new AbortController();
      const stop = () => pause.abort();
      signal.addEventListener("abort", stop, { once: true });
      await Promise.race([waiting.promise, clock.sleep(milliseconds, pause.signal).catch(() => undefined)]);
      signal.removeEventListener("abort", stop);
      pause.abort();
    },

    ended: () => ended,

    /** Ends the streams of all readers, e.g. at shutdown. Readers can resume with their cursors. */
    end(): void {
      ended = true;
      waiting.resolve();
      void polling?.stop();
    },
  };
}

async function readMessages(db: Queryable, cursor: number, limit: number): Promise<LiveMessage[]> {
  const rows = await listOutboxEvents(db, cursor, limit);
  return rows.map(({ id, event }) => new LiveMessage(id, event));
}

/** Reads the messages after `newest`, and whether unread rows before them were pruned (a day without database). */
async function readBatch(options: {
  db: Queryable;
  log: Logger;
  newest: number;
  prepareDelivery: (newest: number) => Promise<void>;
}) {
  const { db, log, newest, prepareDelivery } = options;
  try {
    const messages = await readMessages(db, newest, batchSize);
    const unknown = messages.filter((message) => message.isUnknown).length;
    if (unknown > 0) log.warn({ after: newest, unknown }, "outbox events of unknown kind or version");
    const missed = messages.length > 0 && (await mayHavePrunedRows(db, newest, messages[0]!.cursor));
    if (messages.length > 0) await prepareDelivery(messages.at(-1)!.cursor);
    return { messages, missed };
  } catch (error) {
    log.warn({ err: error }, "outbox read failed");
    return { messages: [], missed: false };
  }
}

/** The newest messages, without gaps. */
class RetainedMessages {
  /** All messages after this id, up to `newest`, are retained. */
  before: number;
  newest: number;
  #messages: LiveMessage[] = [];

  constructor(newest: number) {
    this.before = newest;
    this.newest = newest;
  }

  add(messages: readonly LiveMessage[]): void {
    this.#messages.push(...messages);
    this.newest = messages.at(-1)!.cursor;
    if (this.#messages.length <= retainedMessages * 2) return;
    this.#messages = this.#messages.slice(-retainedMessages);
    this.before = this.#messages[0]!.cursor - 1;
  }

  /** Drops all messages. The next added message must have this id. */
  dropBefore(id: number): void {
    this.#messages = [];
    this.before = id - 1;
  }

  /** Returns the first messages after a cursor; null if some of them are not retained. */
  after(cursor: number): readonly LiveMessage[] | null {
    if (cursor >= this.newest) return [];
    if (cursor < this.before) return null;
    let [low, high] = [0, this.#messages.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#messages[middle]!.cursor > cursor) high = middle;
      else low = middle + 1;
    }
    return this.#messages.slice(low, low + batchSize);
  }
}
