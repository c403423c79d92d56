import { Readable } from "node:stream";
import { SlipwayError } from "@slipway/protocol/errors";
import type { Deps } from "../../deps.ts";
import { resumeCursor } from "../../live/resumeCursor.ts";
import { streamServerSentEvents } from "../../live/streamServerSentEvents.ts";
import { createRoute, type Route } from "../../route.ts";
import { isIndexedToken } from "./queries.ts";

/** When a server stops, its readers reconnect spread over this time, not all at once. */
const [reconnectMinMs, reconnectSpreadMs] = [500, 1_500];

/** Launches, trades, candles and retractions as they are committed. */
export function streamRoutes(deps: Deps): Route[] {
  const feed = deps.liveFeed;

  return [
    createRoute("streamLive", {
      handle: async ({ query, headers, request, reply, clientAddress }) => {
        await deps.readModel.getFreshIndex();
        const token = query.token?.toLowerCase();
        const lastEventId = headers["last-event-id"];
        // A reader that resumes followed it before: what removed it is among the events that it has not received.
        if (token !== undefined && lastEventId === undefined && !(await isIndexedToken(deps.db.read, token))) {
          throw new SlipwayError("token_not_indexed", undefined, { field: "token" });
        }
        reply.type("text/event-stream; charset=utf-8").header("x-accel-buffering", "no");
        if (request.method === "HEAD") return "";

        const cleanup = new DisposableStack();
        try {
          cleanup.defer(deps.streamCapacity.perAddress.acquire(clientAddress));
          const newest = await feed.join();
          cleanup.defer(feed.leave);
          const cursor = lastEventId === undefined ? newest : await resumeCursor(deps.db.read, lastEventId, newest);

          const closed = new AbortController();
          cleanup.defer(() => closed.abort());
          const events = streamServerSentEvents({
            feed,
            cursor,
            filter: {
              tokens: token === undefined ? null : new Set([token]),
              interval: query.interval,
              names: null,
            },
            signal: closed.signal,
            reconnectMs: reconnectMinMs + Math.floor((deps.ids.bytes(1)[0]! / 256) * reconnectSpreadMs),
          });
          // The end of the connection, not of the stream: the stream's end waits for the generator, which waits for messages.
          if (reply.raw.closed) cleanup.dispose();
          else reply.raw.once("close", () => cleanup.dispose());
          return Readable.from(events, { objectMode: false, highWaterMark: 64 * 1024 });
        } catch (error) {
          cleanup.dispose();
          throw error;
        }
      },
    }),
  ];
}
