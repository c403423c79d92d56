import { Readable } from "node:stream";
import { SlipwayError } from "@slipway/protocol/errors";
import type { Deps } from "../../deps.ts";
import { resumeCursor } from "../../live/resumeCursor.ts";
import { streamServerSentEvents } from "../../live/streamServerSentEvents.ts";
import { createRoute, type Route } from "../../route.ts";
import { isIndexedAddress } from "./queries.ts";

/** Readers of a stopped server reconnect after a random delay in this range, not all at once. */
const [reconnectMinMs, reconnectSpreadMs] = [500, 1_500];

/** Creates the route that streams launches, trades, candles and retractions as they are committed. */
export function streamRoutes(deps: Deps): Route[] {
  const feed = deps.liveFeed;

  return [
    createRoute("streamLive", {
      handle: async ({ query, headers, request, reply, clientAddress }) => {
        await deps.readModel.getFreshIndex();
        const token = query.token?.toLowerCase();
        const lastEventId = headers["last-event-id"];
        // A resuming reader followed the token before: it may not have received the retraction of the launch yet.
        if (token !== undefined && lastEventId === undefined && !(await isIndexedAddress(deps.db.read, token))) {
          throw new SlipwayError("token_not_indexed", undefined, { field: "token" });
        }
        reply.type("text/event-stream; charset=utf-8").header("x-accel-buffering", "no");
        if (request.method === "HEAD") return "";

        const cleanup = new DisposableStack();
        try {
          cleanup.defer(deps.streamCapacity.perAddress.acquire(clientAddress));
          cleanup.defer(deps.streamCapacity.streams.acquire(clientAddress, () => request.socket.destroy()));
          const newest = await feed.join();
          cleanup.defer(feed.leave);
          const cursor = lastEventId === undefined ? newest : await resumeCursor(deps.db.newest, lastEventId, newest);

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
          // When the connection closes, not the stream: the stream ends after the generator, which waits for messages.
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
