import { SlipwayError } from "@slipway/protocol/errors";
import { type CandleInterval, candleInterval } from "@slipway/protocol/indexed";
import { pruneOutbox } from "@slipway/server/indexer/store/writeOutbox";
import { createLiveFeed, type LiveFeed } from "@slipway/server/live/createLiveFeed";
import { getNewestOutboxId } from "@slipway/server/live/queries";
import { resumeCursor } from "@slipway/server/live/resumeCursor";
import { streamServerSentEvents } from "@slipway/server/live/streamServerSentEvents";
import type pg from "pg";
import { pino } from "pino";
import { createClientModel } from "./clientModel.ts";
import { createFaultyPool } from "./faultyPool.ts";
import { createRandom } from "./random.ts";
import { readOverRest } from "./readOverRest.ts";
import type { Tables } from "./tables.ts";

/** The events of the clients, so that a run can report them. */
export type ClientCounts = { received: number; snapshots: number; resumes: number; expired: number; restarts: number };

/**
 * Clients of the live stream, through the code of GET /stream: one of everything, one of a token, one that is slow.
 * They disconnect and reconnect with their cursor, or after it expired; their server restarts, loses notifications and
 * has failed reads. Each keeps a model of its received messages (see clientModel.ts).
 */
export function createClients(database: pg.Pool, seed: number) {
  const random = createRandom(seed ^ 0x2545f491);
  let isQuiet = false;
  const faults = () => ({ statement: isQuiet ? 0 : 0.02, commit: 0 });
  const { pool } = createFaultyPool(database, createRandom(seed ^ 0x1b873593), faults);
  const counts: ClientCounts = { received: 0, snapshots: 0, resumes: 0, expired: 0, restarts: 0 };
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

  const stepServerAndClients = async () => {
    if (random.chance(0.04)) {
      counts.restarts++;
      server.feed.end();
      for (const client of clients) await client.drop();
      server = startServer(pool);
    }
    if (random.chance(0.06)) await expireOldRows(database, server.feed.newest() - random.integer(0, 40));
    for (const client of clients) {
      if (!client.isConnected()) {
        if (random.chance(0.5)) await client.connect(server.feed, pool);
      } else if (random.chance(0.12)) await client.drop();
    }
    // A lost notification delays rows but does not lose them.
    if (random.chance(0.8)) await catchUp();
    for (const client of clients) await client.poll(random.chance(client.pollRate));
  };

  return {
    draws: () => random.draws(),
    counts,
    /** Makes a random client event, or none. */
    async step(): Promise<void> {
      if (random.chance(0.3)) await stepServerAndClients();
    },
    /**
     * Reconnects all clients, delivers everything, and returns the differences between their models and the reference.
     */
    async errors(expected: Tables): Promise<string[]> {
      isQuiet = true;
      for (let isNews = true; isNews; ) {
        for (const client of clients) if (!client.isConnected()) await client.connect(server.feed, pool);
        await catchUp();
        isNews = clients.some((client) => !client.isConnected());
        for (const client of clients) {
          while (await client.poll(true)) isNews = true;
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

/** A server's feed without a clock: it polls when the simulation tells it to. */
function startServer(pool: pg.Pool) {
  let wake = (): void => undefined;
  let wanted = 0;
  const feed: LiveFeed = createLiveFeed({
    db: pool,
    clock: {
      // Without a signal it is the pause after a read, which only lets others run.
      sleep: (_, signal) =>
        new Promise((resolve) => {
          if (signal === undefined || feed.newest() < wanted) setImmediate(resolve);
          else signal.addEventListener("abort", () => resolve(), { once: true });
        }),
    },
    log: pino({ level: "silent" }),
    listen: (call) => {
      wake = call;
      return { stop: async () => undefined };
    },
    prepareDelivery: async () => undefined,
  });
  return {
    feed,
    /** Notifies the feed until it has read up to a row; retries failed reads. */
    async catchUp(newest: number): Promise<void> {
      wanted = newest;
      wake();
      while (feed.newest() < newest) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

type Connection = { text: AsyncGenerator<string>; gone: AbortController; feed: LiveFeed };

/** @param tokenIndex - Subscribes to the token with this index in its first snapshot; by default to all tokens. */
function createClient(
  database: pg.Pool,
  counts: ClientCounts,
  interval: CandleInterval,
  pollRate: number,
  tokenIndex?: number,
) {
  let connection: Connection | null = null;
  let pending: Promise<void> | null = null;
  let delivered: { text: string | null } | null = null;
  let isIdle = false;
  let cursor: number | null = null;
  let token: string | null = null;
  const model = createClientModel(interval);

  const readSnapshot = async (isNew: boolean) => {
    const rest = await readOverRest(database);
    if (isNew && tokenIndex !== undefined) token ??= [...rest.launches][tokenIndex] ?? null;
    model.replace(rest, token);
  };

  const onText = async (text: string) => {
    for (const message of text.split("\n\n")) {
      const fields = new Map(message.split("\n").map((line) => line.split(/: (.*)/s, 2) as [string, string]));
      if (fields.has("id")) cursor = Number(fields.get("id"));
      const event = fields.get("event");
      if (event === undefined || event === "ready") continue;
      counts.received++;
      if (event === "snapshot") {
        counts.snapshots++;
        await readSnapshot(false);
      } else {
        const stale = model.applyEvent(event, cursor!, JSON.parse(fields.get("data")!));
        if (stale.length > 0) model.replaceCandles(await readOverRest(database), stale, token);
      }
    }
  };

  const settled = async () => {
    while (pending !== null && !isIdle && delivered === null) await new Promise((resolve) => setImmediate(resolve));
  };

  return {
    pollRate,
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
      // The token is chosen from the first snapshot, before the client connects.
      if (isNew) await readSnapshot(true);
      const filter = { tokens: token === null ? null : new Set([token]), interval, names: null };
      const text = streamServerSentEvents({
        feed: watched,
        cursor: start,
        filter,
        signal: gone.signal,
        reconnectMs: 1,
      });
      connection = { text, gone, feed };
    },
    async drop(): Promise<void> {
      if (connection === null) return;
      const { text, gone, feed } = connection;
      gone.abort();
      await pending;
      await text.return(undefined);
      feed.leave();
      // Data that were sent but not read are lost.
      [connection, pending, delivered, isIdle] = [null, null, null, false];
    },
    /** Reads the next chunk if the client is due and there is one; true if it read one. */
    async poll(wants: boolean): Promise<boolean> {
      if (connection === null) return false;
      if (pending === null && wants) {
        isIdle = false;
        pending = connection.text.next().then(
          ({ value, done }) => {
            delivered = { text: done ? null : value };
          },
          () => {
            delivered = { text: null };
          },
        );
      }
      await settled();
      if (delivered === null) return false;
      const { text } = delivered as { text: string | null };
      pending = delivered = null;
      if (text === null) await this.drop();
      else await onText(text);
      return true;
    },
    errors: (expected: Tables) => model.errors(expected, token),
  };
}

/**
 * Ages the rows up to a row by a day. Rows that the server has not read yet are younger: it polls many times a second.
 */
async function expireOldRows(database: pg.Pool, newest: number): Promise<void> {
  await database.query("update chain.outbox set created_at = now() - interval '25 hours' where id <= $1", [newest]);
  await pruneOutbox(database);
}
