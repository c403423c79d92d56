import type { CandleInterval } from "@slipway/protocol/indexed";
import type { DataMessage } from "@slipway/protocol/liveMessages";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { toApiError } from "./apiError.ts";
import { createWatchdog, type LiveMessage, type ResumeOptions, resumeStream, type StreamItem } from "./resumeStream.ts";

export type StreamOptions = ResumeOptions & {
  /** The API's root, e.g. `https://launch.example/api/v1/launchpad`. */
  baseUrl: string;
  /** One token only. Default: all. */
  token?: string;
  /** The length of candles. Default 1m. */
  interval?: CandleInterval;
  /** Another `fetch`. */
  fetch?: typeof fetch;
};

/** Parses an event; returns null for an event of a later version of the service. */
export type ReadMessage = (event: {
  type: string | undefined;
  cursor: string | null;
  data: unknown;
}) => DataMessage | null;

/** Reads the stream over consecutive connections. */
export function readStream(options: StreamOptions, readMessage: ReadMessage): AsyncGenerator<LiveMessage> {
  return resumeStream((cursor) => readOnce(options, readMessage, cursor), options);
}

/** Reads one response until it ends. */
async function* readOnce(
  options: StreamOptions,
  readMessage: ReadMessage,
  cursor: string | undefined,
): AsyncGenerator<StreamItem> {
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
        const message = readMessage({ type: event.event, cursor: last, data: JSON.parse(event.data) });
        yield { cursor: last, ...(message !== null && { message }) };
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
