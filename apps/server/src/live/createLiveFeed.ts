import type { Logger } from "pino";
import type { Clock } from "../clock.ts";
import { createPoller } from "../createPoller.ts";
import type { Queryable } from "../db/database.ts";
import { LiveMessage } from "./liveMessage.ts";
import { getNewestOutboxId, getOutboxRange, listOutboxEvents, mayHavePrunedRows } from "./queries.ts";

/** Messages kept in memory for readers that lag a little; a reader further behind reads from the database. */
const retainedMessages = 10_000;
const batchSize = 1_000;
/** A reader that lags more, in ids, gets a snapshot message instead of what it has missed. */
export const maxLag = 50_000;
/** How often the outbox is polled without a notification. */
const pollMs = 250;

/** Next result for a reader: messages after its cursor, or a signal that such messages were deleted. */
export type FeedStep = { kind: "messages"; messages: readonly LiveMessage[] } | { kind: "gap"; newest: number };

export type LiveFeed = ReturnType<typeof createLiveFeed>;

/**
 * The outbox as a stream for many readers: each row is read once for a process, not once for a reader. A reader asks
 * for what is after its cursor and waits for more, so that a slow reader costs no memory. The outbox is polled only
 * while there are readers.
 *
 * @param options.listen - Begins to call `wake` after commits; see `listenToOutbox`.
 */
export function createLiveFeed(options: {
  db: Queryable;
  clock: Pick<Clock, "sleep">;
  log: Logger;
  listen: (wake: () => void) => { stop(): Promise<void> };
}) {
  const { db, clock, log } = options;
  /** Null while there are no readers. */
  let retained: RetainedMessages | null = null;
  let opening: Promise<number> | null = null;
  let readers = 0;
  let ended = false;
  /** Ends the polling; null while there are no readers. */
  let polling: { stop(): Promise<void> } | null = null;
  let waiting = Promise.withResolvers<void>();

  /** Reads once. @returns Whether there may be more. */
  const poll = async (signal: AbortSignal): Promise<boolean> => {
    const { newest } = retained!;
    const { messages, missed } = await readBatch(db, newest, log);
    if (signal.aborted || messages.length === 0) return false;
    // Readers before the gap are notified by `readAfter`.
    if (missed) retained!.dropBefore(messages[0]!.cursor);
    retained!.add(messages);
    waiting.resolve();
    waiting = Promise.withResolvers();
    return messages.length === batchSize;
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
    /** Adds a reader. @returns The newest id: the reader gets what comes after it. */
    async join(): Promise<number> {
      readers++;
      try {
        if (retained === null) {
          // After a restart many readers join at once.
          opening ??= getNewestOutboxId(db).finally(() => {
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

    /** Removes a reader; the last one ends the polling. */
    leave(): void {
      readers--;
      if (readers > 0) return;
      void polling?.stop();
      polling = null;
      retained = null;
    },

    /** The messages after a cursor, oldest first; those no longer retained come from the database. */
    async readAfter(cursor: number): Promise<FeedStep> {
      const known = retained!;
      const messages = known.after(cursor);
      if (messages !== null) return { kind: "messages", messages };
      const read = await readMessages(db, cursor);
      // Asked afterwards, so that rows pruned in between do not count as delivered.
      const range = await getOutboxRange(db);
      // Ids have gaps too: a cursor before a gap may get a snapshot that it does not need; it misses nothing.
      const isMissed = range === null || cursor < range.oldest - 1;
      return isMissed ? { kind: "gap", newest: known.newest } : { kind: "messages", messages: read };
    },

    /** How many ids a reader at this cursor lags; ids have gaps. */
    lag: (cursor: number) => (retained === null ? 0 : retained.newest - cursor),

    newest: () => retained?.newest ?? 0,

    /** Resolves when there are more messages, after `milliseconds`, or when the feed ends. */
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

    /** Ends the stream of every reader, e.g. because the server is closing; readers can resume with their cursor. */
    end(): void {
      ended = true;
      waiting.resolve();
      void polling?.stop();
    },
  };
}

async function readMessages(db: Queryable, cursor: number): Promise<LiveMessage[]> {
  const rows = await listOutboxEvents(db, cursor, batchSize);
  return rows.map(({ id, event }) => new LiveMessage(id, event));
}

/** The messages after the newest, and whether rows before them were pruned unread: the database was away for a day. */
async function readBatch(db: Queryable, newest: number, log: Logger) {
  try {
    const messages = await readMessages(db, newest);
    const unknown = messages.filter((message) => message.isUnknown).length;
    if (unknown > 0) log.warn({ after: newest, unknown }, "outbox events of unknown kind or version");
    const missed = messages.length > 0 && (await mayHavePrunedRows(db, newest, messages[0]!.cursor));
    return { messages, missed };
  } catch (error) {
    log.warn({ err: error }, "outbox read failed");
    return { messages: [], missed: false };
  }
}

/** The last messages, without a gap. */
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

  /** Drops everything; what comes next begins with this id. */
  dropBefore(id: number): void {
    this.#messages = [];
    this.before = id - 1;
  }

  /** The first messages after a cursor; null when they may not be retained. */
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
