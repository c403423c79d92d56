import { SlipwayError } from "@slipway/protocol/errors";
import { type CandleInterval, candleInterval } from "@slipway/protocol/indexed";
import { streamServerSentEvents } from "@slipway/server/live/streamServerSentEvents";
import { pruneOutbox } from "@slipway/server/indexer/store/writeOutbox";
import { createLiveFeed, type LiveFeed } from "@slipway/server/live/createLiveFeed";
import { getNewestOutboxId } from "@slipway/server/live/queries";
import { resumeCursor } from "@slipway/server/live/resumeCursor";
import type pg from "pg";
import { pino } from "pino";
import { createBelief } from "./belief.ts";
import { createFaultyPool } from "./faultyPool.ts";
import { createRandom } from "./random.ts";
import { readOverRest } from "./readOverRest.ts";
import type { Tables } from "./tables.ts";

/** What the audience lived through, so that a run can show that it happened. */
export type AudienceCounts = { told: number; snapshots: number; resumes: number; expired: number; restarts: number };

/**
 * Clients of the live stream, through the code that answers GET /stream: one of everything, one of a token, one that is
 * slow. They drop out and come back with their cursor, or too late for it; the server that feeds them is started anew,
 * its wake-ups get lost and its reads fail. Each keeps what it was told (see belief.ts).
 */
export function createAudience(database: pg.Pool, seed: number) {
  const random = createRandom(seed ^ 0x2545f491);
  let isQuiet = false;
  const faults = () => ({ statement: isQuiet ? 0 : 0.02, commit: 0 });
  const { pool } = createFaultyPool(database, createRandom(seed ^ 0x1b873593), faults);
  const counts: AudienceCounts = { told: 0, snapshots: 0, resumes: 0, expired: 0, restarts: 0 };
  let server = startServer(pool);
  const clients = [
    createClient(database, counts, "1m", 0.9),
    createClient(database, counts, random.pick(candleInterval.options), 0.9, 0),
    createClient(database, counts, random.pick(candleInterval.options), 0.15),
  ];

  const catchUp = async () => {
    const newest = await getNewestOutboxId(database);
    if (clients.some((client) => client.isConnected())) await server.catchUp(newest);
  };

  const act = async () => {
    if (random.chance(0.04)) {
      counts.restarts++;
      server.feed.end();
      for (const client of clients) await client.drop();
      server = startServer(pool);
    }
    if (random.chance(0.06)) await loseOldRows(database, server.feed.newest() - random.integer(0, 40));
    for (const client of clients) {
      if (!client.isConnected()) {
        if (random.chance(0.5)) await client.connect(server.feed, pool);
      } else if (random.chance(0.12)) await client.drop();
    }
    // A wake-up that is lost costs time, not rows.
    if (random.chance(0.8)) await catchUp();
    for (const client of clients) await client.listen(random.chance(client.zeal));
  };

  return {
    draws: () => random.draws(),
    counts,
    /** A moment in the audience's life. */
    async step(): Promise<void> {
      if (random.chance(0.3)) await act();
    },
    /** Lets everybody come back and hear everything, and says what they then believe wrongly. */
    async errors(expected: Tables): Promise<string[]> {
      isQuiet = true;
      for (let isNews = true; isNews; ) {
        for (const client of clients) if (!client.isConnected()) await client.connect(server.feed, pool);
        await catchUp();
        isNews = clients.some((client) => !client.isConnected());
        for (const client of clients) {
          while (await client.listen(true)) isNews = true;
        }
      }
      return clients.flatMap((client, i) => client.errors(expected).map((error) => `client ${i}: ${error}`));
    },
    async close(): Promise<void> {
      server.feed.end();
      for (const client of clients) await client.drop();
    },
  };
}

/** A server's feed, whose time stands still: it looks when it is told to. */
function startServer(pool: pg.Pool) {
  let wake = (): void => undefined;
  let wanted = 0;
  const feed: LiveFeed = createLiveFeed({
    db: pool,
    clock: {
      sleep: (_, signal) =>
        new Promise((resolve) => {
          if (feed.newest() < wanted) setImmediate(resolve);
          else signal?.addEventListener("abort", () => resolve(), { once: true });
        }),
    },
    log: pino({ level: "silent" }),
    listen: (call) => {
      wake = call;
      return { stop: async () => undefined };
    },
  });
  return {
    feed,
    /** Wakes it until it has read up to a row; a failed read is tried again. */
    async catchUp(newest: number): Promise<void> {
      wanted = newest;
      wake();
      while (feed.newest() < newest) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

type Connection = { text: AsyncGenerator<string>; gone: AbortController; feed: LiveFeed };

/** @param tokenIndex - Listens to the token at this place of the first launches it sees; to all when left out. */
function createClient(
  database: pg.Pool,
  counts: AudienceCounts,
  interval: CandleInterval,
  zeal: number,
  tokenIndex?: number,
) {
  let connection: Connection | null = null;
  let pending: Promise<void> | null = null;
  let arrived: { text: string | null } | null = null;
  let isIdle = false;
  let cursor: number | null = null;
  let token: string | null = null;
  const belief = createBelief(interval);

  const readAgain = async (isNew: boolean) => {
    const rest = await readOverRest(database);
    if (isNew && tokenIndex !== undefined) token ??= [...rest.launches][tokenIndex] ?? null;
    belief.replace(rest, token);
  };

  const hear = async (text: string) => {
    for (const message of text.split("\n\n")) {
      const fields = new Map(message.split("\n").map((line) => line.split(/: (.*)/s, 2) as [string, string]));
      if (fields.has("id")) cursor = Number(fields.get("id"));
      const event = fields.get("event");
      if (event === undefined || event === "ready") continue;
      counts.told++;
      if (event === "snapshot") {
        counts.snapshots++;
        await readAgain(false);
      } else {
        const stale = belief.hear(event, cursor!, JSON.parse(fields.get("data")!));
        if (stale.length > 0) belief.replaceCandles(await readOverRest(database), stale, token);
      }
    }
  };

  const settled = async () => {
    while (pending !== null && !isIdle && arrived === null) await new Promise((resolve) => setImmediate(resolve));
  };

  return {
    zeal,
    isConnected: () => connection !== null,
    async connect(feed: LiveFeed, pool: pg.Pool): Promise<void> {
      const newest = await feed.join().catch(() => null);
      if (newest === null) return;
      let start = newest;
      let isNew = cursor === null;
      try {
        if (cursor !== null) {
          start = await resumeCursor(pool, String(cursor), newest);
          counts.resumes++;
        }
      } catch (error) {
        if (!(error instanceof SlipwayError)) {
          feed.leave();
          return;
        }
        counts.expired++;
        isNew = true;
      }
      cursor = start;
      const gone = new AbortController();
      const watched: LiveFeed = {
        ...feed,
        waitForMore: async (milliseconds, signal) => {
          isIdle = true;
          await feed.waitForMore(milliseconds, signal);
          isIdle = false;
        },
      };
      // What it listens to is chosen before it asks: the token of the first launch that it finds.
      if (isNew) await readAgain(true);
      const filter = { tokens: token === null ? null : new Set([token]), interval, names: null };
      const text = streamServerSentEvents({ feed: watched, cursor: start, filter, signal: gone.signal, reconnectMs: 1 });
      connection = { text, gone, feed };
    },
    async drop(): Promise<void> {
      if (connection === null) return;
      const { text, gone, feed } = connection;
      gone.abort();
      await pending;
      await text.return(undefined);
      feed.leave();
      // What was on its way is lost: it was not read.
      [connection, pending, arrived, isIdle] = [null, null, null, false];
    },
    /** Takes the next piece when it wants to and there is one; true when it took one. */
    async listen(wants: boolean): Promise<boolean> {
      if (connection === null) return false;
      if (pending === null && wants) {
        isIdle = false;
        pending = connection.text.next().then(
          ({ value, done }) => {
            arrived = { text: done ? null : value };
          },
          () => {
            arrived = { text: null };
          },
        );
      }
      await settled();
      if (arrived === null) return false;
      const { text } = arrived as { text: string | null };
      pending = arrived = null;
      if (text === null) await this.drop();
      else await hear(text);
      return true;
    },
    errors: (expected: Tables) => belief.errors(expected, token),
  };
}

/** As if a day had passed since a row. What the server has not read yet is younger: it looks many times a second. */
async function loseOldRows(database: pg.Pool, newest: number): Promise<void> {
  await database.query("update chain.outbox set created_at = now() - interval '25 hours' where id <= $1", [newest]);
  await pruneOutbox(database);
}
