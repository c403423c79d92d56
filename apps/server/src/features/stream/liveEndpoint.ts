import type { ErrorCode } from "@slipway/protocol/errors";
import pLimit from "p-limit";
import type { Deps } from "../../deps.ts";
import { createLiveHub } from "../../live/createLiveHub.ts";
import { createLiveSession } from "../../live/createLiveSession.ts";
import type { SocketEndpoint } from "../../live/guardSocket.ts";
import { resumeCursor } from "../../live/resumeCursor.ts";

/** Maximum concurrent database queries for resumed subscriptions: after a restart, all clients reconnect together. */
const resumeConcurrency = 4;

/** Creates WS /ws, which sends launches, trades, candles and retractions as they are committed. */
export function createLiveEndpoint(deps: Deps): SocketEndpoint {
  const { config, clock, log, metrics } = deps;
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
  const limit = pLimit(resumeConcurrency);
  const resume = (cursor: string) => limit(() => resumeCursor(deps.db.newest, cursor, hub.newest()));

  const onRefused = (code: ErrorCode) => metrics.refused.inc({ via: "message", code });

  return {
    enter: async () => {
      // Refused with `index_unavailable` while the index is not fresh.
      await deps.readModel.getFreshIndex();
      await hub.enter();
      return {
        startSession: (socket) => createLiveSession({ socket, hub, resumeCursor: resume, log, onRefused }),
        leave: hub.leave,
      };
    },
  };
}
