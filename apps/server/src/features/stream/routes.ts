import { Readable } from "node:stream";
import { SlipwayError } from "@slipway/protocol/errors";
import { streamQuery } from "@slipway/protocol/liveEvents";
import type { Deps } from "../../deps.ts";
import { publicRoute, type Route } from "../../route.ts";
import { startAfter } from "../../live/resumeCursor.ts";
import { liveText } from "../../live/streamServerSentEvents.ts";

/** Readers of a server that went away come back over this long, not all at once. */
const [reconnectFromMs, reconnectSpreadMs] = [500, 1_500];

/** Launches, trades, candles and retractions as they are committed. */
export function streamRoutes(deps: Deps): Route[] {
  const feed = deps.liveFeed;
  const reads = deps.readModel;
  const streams = deps.streamCapacity;

  /** The id to go on after: what the reader has seen, or the newest. */
  const startOf = async (lastEventId: string | undefined, newest: number): Promise<number> => {
    if (lastEventId === undefined) return newest;
    if (!/^\d{1,15}$/.test(lastEventId)) {
      throw new SlipwayError("invalid_request", "Last-Event-ID: must be an id of this stream.", {
        field: "Last-Event-ID",
      });
    }
    return await startAfter(deps.db.read, lastEventId, newest);
  };

  return [
    publicRoute({
      method: "GET",
      path: "/stream",
      name: "streamLive",
      tag: "Tokens",
      summary: "Follow launches, trades, candles and retractions",
      description:
        "Server-Sent Events. `ready` comes first; then `launch`, `trade`, `candle` (of `interval`) and `retracted`, of " +
        "one `token` or of all. A client that comes back with Last-Event-ID misses nothing and sees nothing twice; " +
        "after more than a day, 400 `cursor_expired`: start again without. `snapshot` says that messages were left out " +
        "(the reader was too slow, or the index was rebuilt): read again over REST what is shown. A comment line every " +
        "15 seconds shows that the connection lives.",
      schemas: { query: streamQuery },
      answers: { 200: { description: "The events", contentType: "text/event-stream" } },
      errors: ["invalid_request", "cursor_expired", "index_unavailable", "storage_unavailable"],
      handle: async ({ query, request, reply, clientAddress }) => {
        await reads.index();
        reply.type("text/event-stream; charset=utf-8").header("x-accel-buffering", "no");
        if (request.method === "HEAD") return "";
        const release = streams.ofAddress.take(clientAddress);
        let leave = release;
        try {
          const newest = await feed.join();
          leave = () => {
            feed.leave();
            release();
          };
          const cursor = await startOf(request.headers["last-event-id"] as string | undefined, newest);
          const gone = new AbortController();
          const text = liveText({
            feed,
            cursor,
            filter: {
              tokens: query.token === undefined ? null : new Set([query.token.toLowerCase()]),
              interval: query.interval,
              names: null,
            },
            signal: gone.signal,
            reconnectMs: reconnectFromMs + Math.floor((deps.ids.bytes(1)[0]! / 256) * reconnectSpreadMs),
          });
          // The connection's end, not the stream's: that one waits for the generator, which waits for news.
          const end = () => {
            gone.abort();
            leave();
          };
          if (reply.raw.closed) end();
          else reply.raw.once("close", end);
          return Readable.from(text, { objectMode: false, highWaterMark: 64 * 1024 });
        } catch (error) {
          leave();
          throw error;
        }
      },
    }),
  ];
}
