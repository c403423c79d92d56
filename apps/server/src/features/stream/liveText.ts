import { type LiveFeed, tooFarBehind } from "../../readModel/liveFeed.ts";
import type { OutboxRow } from "../../readModel/queries.ts";
import { concerns, type LiveFilter } from "../../readModel/toLiveEvent.ts";
import { eventText, snapshotText, wordRow } from "./eventText.ts";

export type LiveTextOptions = {
  feed: LiveFeed;
  /** The id that the reader has seen last. */
  cursor: number;
  filter: LiveFilter;
  /** The reader went away. */
  signal: AbortSignal;
  reconnectMs: number;
};

/** A line that says nothing, so that proxies and clients see a living connection. */
const heartbeat = ": heartbeat\n\n";
const heartbeatMs = 15_000;

/**
 * The text of one reader's stream, piece by piece as the reader takes it: nothing is queued for a slow one. It ends
 * when the reader goes away or the feed ends; the reader comes back with the last id it has seen.
 */
export async function* liveText(options: LiveTextOptions): AsyncGenerator<string> {
  const { feed, signal } = options;
  let { cursor } = options;
  let told = cursor;
  yield `retry: ${options.reconnectMs}\n${eventText("ready", cursor, JSON.stringify({ cursor: String(cursor) }))}`;
  while (!signal.aborted && !feed.ended()) {
    const step = feed.behind(cursor) > tooFarBehind ? behind(feed) : await feed.after(cursor);
    if (step.kind === "behind") {
      cursor = told = step.newest;
      yield snapshotText(cursor, "slow_reader");
      continue;
    }
    if (step.rows.length === 0) {
      await feed.more(heartbeatMs, signal);
      if (feed.newest() === cursor && !feed.ended() && !signal.aborted) yield heartbeat;
      continue;
    }
    cursor = step.rows.at(-1)!.id;
    const text = textOf(step.rows, options.filter);
    if (text !== "") {
      told = cursor;
      yield text;
    } else if (cursor - told > 1_000) {
      told = cursor;
      yield `id: ${cursor}\n${heartbeat}`;
    }
  }
}

function behind(feed: LiveFeed) {
  return { kind: "behind", newest: feed.newest() } as const;
}

function textOf(rows: readonly OutboxRow[], filter: LiveFilter): string {
  let text = "";
  for (const row of rows) {
    const told = wordRow(row);
    if (told !== null && concerns(told.event, filter)) text += told.text;
  }
  return text;
}
