import type { CandleInterval } from "@slipway/protocol/indexed";
import { dataMessage } from "@slipway/protocol/liveMessages";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { toApiError } from "./apiError.ts";
import { createWatchdog, type LiveMessage, type ResumeOptions, resumeStream, type StreamItem } from "./resumeStream.ts";

export type StreamOptions = ResumeOptions & {
  /** The API's root, e.g. `https://launch.example/api/v1/launchpad`. */
  baseUrl: string;
  /** One token only. Default: all. */
  token?: string;
  /** Of candles. Default 1m. */
  interval?: CandleInterval;
  /** Another `fetch`. */
  fetch?: typeof fetch;
};

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
  return resumeStream((cursor) => readOnce(options, cursor), options);
}

/** Reads one response until it ends. */
async function* readOnce(options: StreamOptions, cursor: string | undefined): AsyncGenerator<StreamItem> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  options.signal?.addEventListener("abort", abort, { once: true });
  if (options.signal?.aborted === true) abort();
  const watchdog = createWatchdog(() => controller.abort(new Error("the stream sends no messages")));
  try {
    const response = await (options.fetch ?? fetch)(getUrl(options), {
      headers: { accept: "text/event-stream", ...(cursor === undefined ? {} : { "last-event-id": cursor }) },
      signal: controller.signal,
    });
    if (!response.ok) throw await toApiError(response);
    const events: EventSourceMessage[] = [];
    let last: string | null = null;
    const parser = createParser({
      onEvent: (event) => {
        events.push(event);
      },
    });
    const reader = response.body!.getReader();
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      watchdog.feed();
      parser.feed(decoder.decode(value, { stream: true }));
      for (const event of events.splice(0)) {
        last = event.id ?? last;
        yield toStreamItem(event, last);
      }
    }
  } finally {
    watchdog.stop();
    options.signal?.removeEventListener("abort", abort);
    controller.abort();
  }
}

function getUrl({ baseUrl, token, interval }: StreamOptions): string {
  const query = new URLSearchParams();
  if (token !== undefined) query.set("token", token);
  if (interval !== undefined) query.set("interval", interval);
  const root = `${baseUrl.replace(/\/+$/, "")}/stream`;
  return query.size === 0 ? root : `${root}?${query}`;
}

/** `ready`, and events of a later version of the service, only move the cursor. */
function toStreamItem(event: EventSourceMessage, cursor: string | null): StreamItem {
  const { data: text, event: type } = event;
  const message = dataMessage.safeParse({ type, cursor, data: JSON.parse(text) });
  return { cursor, ...(message.success && { message: message.data }) };
}
