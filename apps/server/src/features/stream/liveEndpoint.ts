import type { Deps } from "../../deps.ts";
import { startAfter } from "../../live/resumeCursor.ts";
import { createTurns } from "../../live/createTurns.ts";
import { createLiveConversation } from "../../live/createLiveSession.ts";
import { createLiveHub } from "../../live/createLiveHub.ts";
import type { SocketEndpoint } from "../../live/guardSocket.ts";

/** WS /ws: launches, trades, candles and retractions as they are committed. */
export function liveEndpoint(deps: Deps): SocketEndpoint {
  const { config, clock, log, metrics } = deps;
  const index = deps.readModel;
  const hub = createLiveHub({
    feed: deps.liveFeed,
    clock,
    log,
    bufferBytes: config.WS_BUFFER_BYTES,
    count: {
      messages: (number) => metrics.liveMessages.inc(number),
      snapshot: () => metrics.liveSnapshots.inc(),
    },
  });
  // After a restart all clients come back at once: they wait for each other, not for the pool.
  const turns = createTurns(4);
  const startOf = (cursor: string) => turns(() => startAfter(deps.db.read, cursor, hub.newest()));

  return {
    // What is not the present is not told as live: refused with `index_unavailable`.
    enter: async () => {
      await index.index();
      await hub.enter();
      return (socket) => {
        const reader = hub.createReader(socket);
        const { hear } = createLiveConversation({ socket, hub, reader, startOf, log });
        return {
          hear,
          beat: () => {
            const position = hub.positionOf(reader);
            socket.say({ type: "heartbeat", cursor: position === null ? null : String(position) });
          },
          end: () => hub.drop(reader),
        };
      };
    },
    leave: hub.leave,
  };
}
