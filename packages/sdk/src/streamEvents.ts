import type { CandleInterval } from "@slipway/protocol/indexed";
import { dataMessage } from "@slipway/protocol/liveMessages";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { toApiError } from "./apiError.ts";
import { type Heard, type LiveMessage, type ResumeOptions, resumeStream } from "./resumeStream.ts";
import { createWatchdog } from "./resumeStream.ts";

export type StreamOptions = ResumeOptions & {
  /** The API's root, e.g. `https://launch.example/api/v1/launchpad`. */
  baseUrl: string;
  /** One token only; left out: all. */
  token?: string;
  /** Of candles. Default 1m. */
  interval?: CandleInterval;
  /** Another `fetch`. */
  fetch?: typeof fetch;
};

/**
 * Launches, trades, candles and retractions as they happen, over Server-Sent Events: open to everybody. Goes on by
 * itself after a lost connection, without a gap and without telling anything twice.
 *
 * @example
 * for await (const message of streamEvents({ baseUrl, token, signal })) {
 *   if (message.type === "trade") show(message.data.trade);
 *   if (message.type === "retracted") hide(message.data.trades);
 *   if (message.type === "snapshot") await readAgain();
 * }
 *
 * @throws ApiError when the service refuses for good.
 */
export function streamEvents(options: StreamOptions): AsyncGenerator<LiveMessage> {
  return resumeStream((cursor) => readOnce(options, cursor), options);
}

/** One answer, until it ends. */
async function* readOnce(options: StreamOptions, cursor: string | undefined): AsyncGenerator<Heard> {
  const gone = new AbortController();
  const leave = () => gone.abort();
  options.signal?.addEventListener("abort", leave, { once: true });
  if (options.signal?.aborted === true) leave();
  const watchdog = createWatchdog(() => gone.abort(new Error("the stream has fallen silent")));
  try {
    const response = await (options.fetch ?? fetch)(urlOf(options), {
      headers: { accept: "text/event-stream", ...(cursor === undefined ? {} : { "last-event-id": cursor }) },
      signal: gone.signal,
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
        yield toHeard(event, last);
      }
    }
  } finally {
    watchdog.stop();
    options.signal?.removeEventListener("abort", leave);
    gone.abort();
  }
}

function urlOf({ baseUrl, token, interval }: StreamOptions): string {
  const query = new URLSearchParams();
  if (token !== undefined) query.set("token", token);
  if (interval !== undefined) query.set("interval", interval);
  const root = `${baseUrl.replace(/\/+$/, "")}/stream`;
  return query.size === 0 ? root : `${root}?${query}`;
}

/** `ready`, and events of a later version of the service, only say how far the stream is. */
function toHeard(event: EventSourceMessage, cursor: string | null): Heard {
  const { data: text, event: type } = event;
  const message = dataMessage.safeParse({ type, cursor, data: JSON.parse(text) });
  return { cursor, ...(message.success && { message: message.data }) };
}
