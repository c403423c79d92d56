import type { DataMessage } from "@slipway/protocol/liveMessages";
import { readStream, type StreamOptions } from "./readStream.ts";
import type { LiveMessage } from "./resumeStream.ts";

export type { LiveMessage, StreamOptions };

const messageTypes: readonly string[] = [
  "launch",
  "trade",
  "candle",
  "signal",
  "opening",
  "retracted",
  "snapshot",
] satisfies DataMessage["type"][];

/**
 * Streams the messages of `streamEvents` without checking them against schemas. For pages that are served together with
 * the API that they call.
 *
 * @example
 * for await (const message of leanStreamEvents({ baseUrl: "/api/v1/launchpad", token, signal })) apply(message);
 *
 * @throws ApiError if the service answers an error that is not retryable.
 */
export function leanStreamEvents(options: StreamOptions): AsyncGenerator<LiveMessage> {
  return readStream(options, ({ type = "", cursor, data }) =>
    // `ready`, and events of a later version of the service, only move the cursor.
    messageTypes.includes(type) && cursor !== null ? ({ type, cursor, data } as DataMessage) : null,
  );
}
