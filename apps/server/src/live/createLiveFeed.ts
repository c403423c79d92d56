import type { Logger } from "pino";
import type { Queryable } from "../db/database.ts";
import type { Clock } from "../clock.ts";
import { mayBePruned, newestOutboxId, type OutboxRow, outboxRange, outboxRows } from "./queries.ts";

/** Rows kept in memory for those who are a little behind; who is further behind gets a snapshot message instead. */
const keptRows = 10_000;
const rowsAtOnce = 1_000;
/** Who is further behind than this gets a fresh start rather than an endless queue; in ids. */
export const tooFarBehind = 50_000;
/** How often it is looked without a wake-up. */
const pollMs = 250;

/** What a reader gets next: rows after its cursor, or that it has fallen out of what is kept. */
export type FeedStep = { kind: "rows"; rows: readonly OutboxRow[] } | { kind: "behind"; newest: number };

export type LiveFeed = ReturnType<typeof createLiveFeed>;

/**
 * The outbox as a stream for many readers: each row is read once for a process, not once for a reader. A reader asks
 * for what is after its cursor and waits for more, so a slow one costs nothing but its place. It looks only while
 * there are readers.
 *
 * @param options.listen - Begins to call `wake` after commits; see `listenToOutbox`.
 */
export function createLiveFeed(options: {
  db: Queryable;
  clock: Pick<Clock, "sleep">;
  log: Logger;
  listen: (wake: () => void) => { stop(): Promise<void> };
}) {
  const { db, clock, log, listen } = options;
  let tail: OutboxRow[] = [];
  /** The id before the first row of `tail`, and its last one; null while nobody reads. */
  let range: { before: number; newest: number } | null = null;
  let opening: Promise<number> | null = null;
  let readers = 0;
  let ended = false;
  /** Ends the looking that goes on; null while nobody reads. */
  let looking: AbortController | null = null;
  let waiting = Promise.withResolvers<void>();

  const take = (rows: readonly OutboxRow[]) => {
    tail.push(...rows);
    range!.newest = tail.at(-1)!.id;
    if (tail.length > keptRows * 2) {
      tail = tail.slice(-keptRows);
      range!.before = tail[0]!.id - 1;
    }
    waiting.resolve();
    waiting = Promise.withResolvers();
  };

  /** Rows after the newest, and whether some before them were pruned: the database was away for a day. */
  const look = async (newest: number) => {
    const rows = await outboxRows(db, newest, rowsAtOnce);
    return { rows, missed: rows.length > 0 && (await mayBePruned(db, newest, rows[0]!.id)) };
  };

  const forget = (before: number) => {
    tail = [];
    range!.before = before;
  };

  const run = async (signal: AbortSignal) => {
    let wakeLoop: () => void = () => undefined;
    let dirty = true;
    const listener = listen(() => {
      dirty = true;
      wakeLoop();
    });
    signal.addEventListener("abort", () => wakeLoop(), { once: true });
    while (!signal.aborted) {
      dirty = false;
      const { rows, missed } = await look(range!.newest).catch((error: unknown) => {
        log.warn({ err: error }, "the live feed cannot read the outbox");
        return { rows: [], missed: false };
      });
      if (signal.aborted) break;
      // Whoever is before them is told by `after` that it has missed something.
      if (missed) forget(rows[0]!.id - 1);
      if (rows.length > 0) take(rows);
      if (dirty || rows.length === rowsAtOnce) continue;
      const pause = new AbortController();
      wakeLoop = () => pause.abort();
      await clock.sleep(pollMs, pause.signal).catch(() => undefined);
    }
    await listener.stop();
  };

  return {
    /** Joins the feed. @returns The newest id: what comes after it will be told. */
    async join(): Promise<number> {
      readers++;
      try {
        if (range === null) {
          // After a restart many join at once.
          opening ??= newestOutboxId(db).finally(() => {
            opening = null;
          });
          const newest = await opening;
          range ??= { before: newest, newest };
        }
      } catch (error) {
        readers--;
        throw error;
      }
      if (looking === null && !ended) {
        looking = new AbortController();
        void run(looking.signal);
      }
      return range.newest;
    },

    /** Leaves it; the last reader ends the looking. */
    leave(): void {
      readers--;
      if (readers > 0) return;
      looking?.abort();
      looking = null;
      tail = [];
      range = null;
    },

    /** The rows after a cursor, oldest first; those before what is kept come from the database. */
    async after(cursor: number): Promise<FeedStep> {
      const known = range!;
      if (cursor >= known.newest) return { kind: "rows", rows: [] };
      if (cursor >= known.before) {
        const start = firstAfter(tail, cursor);
        return { kind: "rows", rows: tail.slice(start, start + rowsAtOnce) };
      }
      const rows = await outboxRows(db, cursor, rowsAtOnce);
      // Asked afterwards: what is pruned in between must not look as if it had been given.
      const kept = await outboxRange(db);
      // Ids have gaps too: a cursor before a gap gets a fresh start that it did not need, and misses nothing.
      const isMissed = kept === null || cursor < kept.oldest - 1;
      return isMissed ? { kind: "behind", newest: known.newest } : { kind: "rows", rows };
    },

    /** How many rows somebody at this cursor has yet to get; ids count gaps too. */
    behind: (cursor: number) => (range === null ? 0 : range.newest - cursor),

    newest: () => range?.newest ?? 0,

    /** Resolves when there are more rows, after `milliseconds`, or when the feed ends. */
    async more(milliseconds: number, signal: AbortSignal): Promise<void> {
      if (ended || signal.aborted) return;
      const pause = new AbortController();
      const stop = () => pause.abort();
      signal.addEventListener("abort", stop, { once: true });
      await Promise.race([waiting.promise, clock.sleep(milliseconds, pause.signal).catch(() => undefined)]);
      signal.removeEventListener("abort", stop);
      pause.abort();
    },

    ended: () => ended,

    /** Ends every reader's stream, e.g. because the server is closing: they come back with their cursor. */
    end(): void {
      ended = true;
      waiting.resolve();
      looking?.abort();
    },
  };
}

/** The position of the first row whose id is above `cursor`. */
function firstAfter(rows: readonly OutboxRow[], cursor: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle]!.id > cursor) high = middle;
    else low = middle + 1;
  }
  return low;
}
