import { type LiveFeed, maxLag } from "./createLiveFeed.ts";
import { type LiveFilter, type LiveMessage, snapshotText, toEventText } from "./liveMessage.ts";

/** A comment line that shows proxies and clients that the connection is open. */
const heartbeat = ": heartbeat\n\n";
const heartbeatMs = 15_000;
/** After this number of ids without a matching message, the reader gets its new cursor. */
const maxSilentIds = 1_000;

/**
 * Yields the Server-Sent Events of one reader at the reader's pace, without a queue. Ends when the reader leaves or the
 * feed ends. The reader can resume with the last received id.
 *
 * @param options.cursor - The last id that the reader has received.
 * @param options.signal - Aborted when the reader leaves.
 */
export async function* streamServerSentEvents(options: {
  feed: LiveFeed;
  cursor: number;
  filter: LiveFilter;
  signal: AbortSignal;
  reconnectMs: number;
}): AsyncGenerator<string> {
  const { feed, signal, filter } = options;
  let { cursor } = options;
  /** The last id that the reader received. */
  let sentCursor = cursor;
  yield `retry: ${options.reconnectMs}\n${toEventText("ready", cursor, JSON.stringify({ cursor: String(cursor) }))}`;
  while (!signal.aborted && !feed.ended()) {
    const step =
      feed.lag(cursor) > maxLag
        ? ({ kind: "gap", newest: feed.newest() } as const)
        : await feed.readAfter(cursor, () => !signal.aborted);
    if (step.kind === "gap") {
      cursor = sentCursor = step.newest;
      yield snapshotText(cursor, "slow_reader");
      continue;
    }
    if (step.messages.length === 0) {
      await feed.waitForMore(heartbeatMs, signal);
      if (feed.newest() === cursor && !feed.ended() && !signal.aborted) yield heartbeat;
      continue;
    }
    cursor = step.messages.at(-1)!.cursor;
    const text = toText(step.messages, filter);
    if (text !== "") {
      sentCursor = cursor;
      yield text;
    } else if (cursor - sentCursor > maxSilentIds) {
      sentCursor = cursor;
      yield `id: ${cursor}\n${heartbeat}`;
    }
  }
}

function toText(messages: readonly LiveMessage[], filter: LiveFilter): string {
  let text = "";
  for (const message of messages) if (message.matches(filter)) text += message.eventText;
  return text;
}
