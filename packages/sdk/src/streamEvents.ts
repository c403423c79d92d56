import { dataMessage } from "@slipway/protocol/liveMessages";
import { readStream, type StreamOptions } from "./readStream.ts";
import type { LiveMessage } from "./resumeStream.ts";

export type { LiveMessage, StreamOptions };

/**
 * Streams launches, trades, candles and retractions over Server-Sent Events, without authentication. Reconnects after a
 * lost connection, without a gap and without duplicates.
 *
 * @example
 * for await (const message of streamEvents({ baseUrl, token, signal })) {
 *   if (message.type === "trade") show(message.data.trade);
 *   if (message.type === "retracted") hide(message.data.trades);
 *   if (message.type === "snapshot") await readAgain();
 * }
 *
 * @throws ApiError when the service answers an error that is not retryable.
 */
export function streamEvents(options: StreamOptions): AsyncGenerator<LiveMessage> {
  return readStream(options, (event) => {
    // `ready`, and events of a later version of the service, only move the cursor.
    const message = dataMessage.safeParse(event);
    return message.success ? message.data : null;
  });
}
